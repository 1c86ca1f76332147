#include "train/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

namespace lockstep::train {

Schedule::Schedule(const ScheduleSettings& settings, double base_rate, RunLength length)
    : settings_(settings), base_rate_(base_rate), length_(length) {}

double Schedule::rate_at(std::int64_t step) const {
  const auto at = static_cast<double>(step);
  const auto per_epoch = static_cast<double>(length_.steps_per_epoch);
  const double warmup = std::round(settings_.warmup_epochs * per_epoch);
  if (at < warmup) return base_rate_ * (at + 1) / warmup;
  switch (settings_.name) {
    case ScheduleName::constant:
      return base_rate_;
    case ScheduleName::step: {
      const double drops =
          std::floor(at / std::max(1.0, std::round(settings_.every_epochs * per_epoch)));
      return base_rate_ * std::pow(settings_.factor, drops);
    }
    case ScheduleName::cosine: {
      const double length = std::max(1.0, static_cast<double>(length_.steps) - warmup);
      const double progress = std::min(1.0, (at - warmup) / length);
      const double share = (1 + std::cos(std::numbers::pi * progress)) / 2;
      return base_rate_ * (settings_.final_fraction + (1 - settings_.final_fraction) * share);
    }
  }
  return base_rate_;
}

std::string Schedule::text() const { return nlohmann::json{{"step", step_}}.dump(); }

void Schedule::after_load(std::string_view text, checkpoint::Restored /*how*/) {
  step_ = nlohmann::json::parse(text).at("step").get<std::int64_t>();
}

double base_rate(const OptimizerSettings& optimizer, std::int64_t global_batch) {
  if (optimizer.scale_for_batch == 0) return optimizer.learning_rate;
  return optimizer.learning_rate * static_cast<double>(global_batch) / optimizer.scale_for_batch;
}

}  // namespace lockstep::train
