#pragma once

#include <memory>
#include <string>

#include "model/registry.hpp"

namespace lockstep::tests {

/// The network of that name with default settings; parameters().allocate() is up to the test.
inline std::unique_ptr<model::Model> network(const std::string& name,
                                             const model::InputShape& input) {
  model::Settings settings;
  settings.name = name;
  return model::make(settings, input);
}

}  // namespace lockstep::tests
