#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "model/settings.hpp"

namespace lockstep::model {

/// Names that make() knows, in the order of their size.
[[nodiscard]] std::vector<std::string> names();

/// What the data say: channels of a picture, and how many classes there are.
struct InputShape {
  std::int64_t channels = 3;
  std::int64_t classes = 1000;
};

/// Declares the named network's tensors; parameters().allocate() then makes them.
[[nodiscard]] std::unique_ptr<Model> make(const Settings& settings, const InputShape& input);

}  // namespace lockstep::model
