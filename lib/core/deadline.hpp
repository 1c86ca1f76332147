#pragma once

#include <algorithm>
#include <chrono>

namespace lockstep {

using Clock = std::chrono::steady_clock;

/// A point in time after which a wait is given up. Every wait in the project has one.
class Deadline {
 public:
  [[nodiscard]] static Deadline after(std::chrono::nanoseconds patience) {
    return Deadline(Clock::now() + std::chrono::duration_cast<Clock::duration>(patience));
  }

  [[nodiscard]] bool passed() const { return Clock::now() >= when_; }
  [[nodiscard]] Clock::duration remaining() const {
    return std::max(when_ - Clock::now(), Clock::duration::zero());
  }
  [[nodiscard]] Clock::time_point when() const { return when_; }

 private:
  explicit Deadline(Clock::time_point when) : when_(when) {}
  Clock::time_point when_;
};

/// Seconds as a double, for numbers that people and metrics read.
[[nodiscard]] inline double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace lockstep
