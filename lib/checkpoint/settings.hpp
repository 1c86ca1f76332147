#pragma once

#include <cstdint>
#include <vector>

#include "config/schema.hpp"

namespace lockstep::checkpoint {

/// The `checkpoint` section.
struct Settings {
  std::int64_t every_steps = 0;  ///< 0: only at the end and at stops
  double every_minutes = 10;     ///< 0: off; rank 0's clock
  std::int64_t keep = 3;         ///< committed steps that stay
  bool at_end = true;            ///< also when the run is finished

  void declare(config::Schema& schema);
};

}  // namespace lockstep::checkpoint
