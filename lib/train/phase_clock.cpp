#include "train/phase_clock.hpp"

#include <utility>

namespace lockstep::train {

void PhaseClock::enter(Phase phase) {
  const Clock::time_point now = Clock::now();
  seconds_[static_cast<std::size_t>(phase_)] += seconds(now - since_);
  since_ = now;
  phase_ = phase;
}

PhaseClock::Seconds PhaseClock::lap() {
  enter(phase_);
  return std::exchange(seconds_, {});
}

}  // namespace lockstep::train
