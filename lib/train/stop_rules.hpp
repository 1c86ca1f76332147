#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "core/deadline.hpp"
#include "os/signals.hpp"
#include "train/stop.hpp"

namespace lockstep::train {

/// Reasons to stop that come from outside. Each rank looks for itself; the step's own reduction
/// agrees.
class StopRules {
 public:
  struct Options {
    std::filesystem::path stop_file;  ///< empty: this rank does not look (one rank does)
    std::optional<std::chrono::system_clock::time_point> deadline;
  };
  StopRules(const os::StopSignals& signals, Options options)
      : signals_(signals), options_(std::move(options)) {}

  /// `lead_s`: how long before the deadline the stop must begin, so that a checkpoint still fits.
  [[nodiscard]] Stop vote(double lead_s);

 private:
  [[nodiscard]] bool stop_file_is_there();

  const os::StopSignals& signals_;
  Options options_;
  Clock::time_point looked_{};
};

}  // namespace lockstep::train
