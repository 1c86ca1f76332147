#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/schema.hpp"

namespace lockstep::model {

/// The `model` section.
struct Settings {
  std::string name = "resnet18";
  std::optional<std::int64_t> classes;  ///< auto: as many as the training data have
  std::int64_t stem_stride = 1;         ///< the small ResNets' first convolution: 1 or 2
  bool channels_last = true;            ///< keep pictures and weights with the channels innermost
  bool sync_batch_norm = false;  ///< normalise over the global batch instead of each rank's share

  void declare(config::Schema& schema);
};

}  // namespace lockstep::model
