#include "train/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/log.hpp"
#include "core/units.hpp"

namespace lockstep::train {
namespace {

constexpr std::chrono::milliseconds kTerminalEvery{250};

double total(const PhaseClock::Seconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

// The phases that take at least 1 %, largest first as they come in a step.
std::string shares(const PhaseClock::Seconds& seconds) {
  constexpr std::array kShown = {
      std::pair(Phase::data, "data"),           std::pair(Phase::forward, "forward"),
      std::pair(Phase::backward, "backward"),   std::pair(Phase::communication, "communication"),
      std::pair(Phase::optimizer, "optimizer"), std::pair(Phase::checkpoint, "checkpoint"),
      std::pair(Phase::other, "other")};
  const double all =
      std::max(total(seconds) - seconds[static_cast<std::size_t>(Phase::evaluation)], 1e-9);
  std::string text;
  for (const auto& [phase, label] : kShown) {
    const double percent = 100 * seconds[static_cast<std::size_t>(phase)] / all;
    if (percent >= 1)
      text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", label, percent);
  }
  return text;
}

}  // namespace

ProgressLine::ProgressLine(std::chrono::duration<double> log_every)
    : is_terminal_(log::is_terminal()),
      every_(is_terminal_ ? Clock::duration(kTerminalEvery)
                          : std::chrono::duration_cast<Clock::duration>(log_every)),
      shown_(Clock::now() - every_) {}

void ProgressLine::after_step(const StepResult& result) {
  last_ = result;
  for (std::size_t i = 0; i < kPhases; ++i) seconds_[i] += result.seconds[i];
  const double step_s = total(result.seconds);
  mean_step_s_ = mean_step_s_ == 0 ? step_s : mean_step_s_ + (step_s - mean_step_s_) / 50;
  images_ += result.images_per_s;
  ++steps_;
  const bool is_last = result.progress.step == result.progress.steps;
  if (Clock::now() - shown_ < every_ && !is_last) return;
  is_terminal_ ? log::progress(line()) : log::info(line());
  shown_ = Clock::now();
  seconds_ = {};
  images_ = 0;
  steps_ = 0;
}

std::string ProgressLine::line() const {
  const Progress& at = last_.progress;
  const auto left =
      std::chrono::duration<double>(static_cast<double>(at.steps - at.step) * mean_step_s_);
  return fmt::format(
      "step {}/{}  epoch {}  loss {:.4f}  lr {:.4g}  {}  [{}]  ETA {}", at.step, at.steps,
      at.epoch + 1, last_.loss, last_.rate,
      units::rate(images_ / static_cast<double>(std::max<std::int64_t>(steps_, 1)), "images"),
      shares(seconds_), units::duration(left));
}

void ProgressLine::after_evaluation(const EvaluationResult& result) {
  log::info(
      "evaluation after step {} (epoch {}): top1 {:.4f}  top5 {:.4f}  loss {:.4f}  on {} samples "
      "in {}",
      result.progress.step, result.progress.epoch + 1, result.top1, result.top5, result.loss,
      result.samples, units::duration(std::chrono::duration<double>(result.seconds)));
}

void ProgressLine::after_save(const SaveResult& result) {
  log::info("checkpoint {}: {} in {}", result.path.string(), units::bytes(result.bytes),
            units::duration(std::chrono::duration<double>(result.stall_s)));
}

}  // namespace lockstep::train
