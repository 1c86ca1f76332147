#pragma once

#include <cstdint>

#include "core/deadline.hpp"
#include "train/observer.hpp"

namespace lockstep::train {

/// What a person sees: on a terminal one line that is rewritten a few times a second, in a log file
/// a plain line every `log_every`: step, loss, rate, where the time goes, and when it will be over.
/// One rank has it.
class ProgressLine final : public Observer {
 public:
  explicit ProgressLine(std::chrono::duration<double> log_every);

  void after_step(const StepResult& result) override;
  void after_evaluation(const EvaluationResult& result) override;
  void after_save(const SaveResult& result) override;

 private:
  [[nodiscard]] std::string line() const;

  bool is_terminal_;
  Clock::duration every_;
  Clock::time_point shown_;
  StepResult last_;
  // Since the last line that was shown.
  PhaseClock::Seconds seconds_{};
  double images_ = 0;
  std::int64_t steps_ = 0;
  double mean_step_s_ = 0;  // moving average over about 50 steps, saving and evaluating included
};

}  // namespace lockstep::train
