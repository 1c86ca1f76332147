#pragma once

#include <cstdint>

#include "checkpoint/saveable.hpp"
#include "train/settings.hpp"

namespace lockstep::train {

/// What the schedule must know of the run's length.
struct RunLength {
  std::int64_t steps = 0;
  std::int64_t steps_per_epoch = 1;
};

/// The learning rate as a pure function of the step: warm-up, then constant, stepwise (StepLR) or
/// cosine (Loshchilov and Hutter, 2016). Resuming needs the step alone.
class Schedule final : public checkpoint::Saveable {
 public:
  Schedule(const ScheduleSettings& settings, double base_rate, RunLength length);

  /// For the step that is about to be made.
  [[nodiscard]] double rate() const { return rate_at(step_); }
  [[nodiscard]] double rate_at(std::int64_t step) const;
  void advance() { ++step_; }

  [[nodiscard]] std::string_view name() const noexcept override { return "schedule"; }
  [[nodiscard]] std::string text() const override;
  void after_load(std::string_view text, checkpoint::Restored how) override;

 private:
  ScheduleSettings settings_;
  double base_rate_;
  RunLength length_;
  std::int64_t step_ = 0;
};

/// optimizer.learning_rate, scaled to the global batch if the settings say so (Goyal et al., 2017).
[[nodiscard]] double base_rate(const OptimizerSettings& optimizer, std::int64_t global_batch);

}  // namespace lockstep::train
