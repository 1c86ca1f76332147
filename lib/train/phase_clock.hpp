#pragma once

#include <array>
#include <cstddef>

#include "core/deadline.hpp"

namespace lockstep::train {

/// Where a step's time goes. Only what the training thread itself spends counts: communication that
/// runs beside the backward pass is free.
enum class Phase {
  data,
  forward,
  backward,
  communication,
  optimizer,
  checkpoint,
  evaluation,
  other
};
inline constexpr std::size_t kPhases = 8;

/// A clock that is always in exactly one phase, so that the phases of a step add up to its wall
/// time.
class PhaseClock {
 public:
  using Seconds = std::array<double, kPhases>;

  /// In a phase until destroyed; then back in the one before. Nests: a bucket reduced inside the
  /// backward pass is communication, not backward.
  class Scope {
   public:
    Scope(PhaseClock& clock, Phase phase) : clock_(clock), before_(clock.phase_) {
      clock_.enter(phase);
    }
    ~Scope() { clock_.enter(before_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PhaseClock& clock_;
    Phase before_;
  };
  [[nodiscard]] Scope in(Phase phase) { return Scope(*this, phase); }

  /// Seconds of each phase since the last lap; the next lap begins.
  Seconds lap();

 private:
  void enter(Phase phase);

  Phase phase_ = Phase::other;
  Clock::time_point since_ = Clock::now();
  Seconds seconds_{};
};

}  // namespace lockstep::train
