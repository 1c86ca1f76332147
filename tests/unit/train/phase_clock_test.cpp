#include "train/phase_clock.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace lockstep::train {
namespace {

void spend(double duration_s) {
  const auto began = Clock::now();
  while (seconds(Clock::now() - began) < duration_s) {
  }
}

double of(const PhaseClock::Seconds& lap, Phase phase) {
  return lap[static_cast<std::size_t>(phase)];
}
double sum(const PhaseClock::Seconds& lap) { return std::accumulate(lap.begin(), lap.end(), 0.0); }

TEST(PhaseClock, PhasesAddUpToTheWallTime) {
  PhaseClock clock;
  const auto before = Clock::now();
  clock.lap();
  const auto began = Clock::now();
  for (const Phase phase : {Phase::data, Phase::forward, Phase::backward, Phase::optimizer}) {
    spend(0.001);
    const auto timed = clock.in(phase);
    spend(0.002);
  }
  const auto ended = Clock::now();
  const PhaseClock::Seconds lap = clock.lap();
  const auto after = Clock::now();
  EXPECT_GE(sum(lap), seconds(ended - began) - 1e-9);
  EXPECT_LE(sum(lap), seconds(after - before) + 1e-9);
  EXPECT_GE(of(lap, Phase::forward), 0.002);
  EXPECT_GE(of(lap, Phase::other), 0.004);
  EXPECT_EQ(of(lap, Phase::checkpoint), 0);
}

TEST(PhaseClock, TakesInnerPhasesOutOfTheOuterOne) {
  PhaseClock clock;
  const auto began = Clock::now();
  {
    const auto backward = clock.in(Phase::backward);
    spend(0.001);
    {
      const auto communication = clock.in(Phase::communication);
      spend(0.02);
    }
    spend(0.001);
  }
  const double all_s = seconds(Clock::now() - began);
  const PhaseClock::Seconds lap = clock.lap();
  EXPECT_GE(of(lap, Phase::communication), 0.02);
  EXPECT_GE(of(lap, Phase::backward), 0.002);
  EXPECT_LE(of(lap, Phase::backward), all_s - 0.02);
  EXPECT_LE(of(lap, Phase::communication), all_s - 0.002);
}

TEST(PhaseClock, BeginsEachLapFromZero) {
  PhaseClock clock;
  {
    const auto timed = clock.in(Phase::data);
    spend(0.002);
  }
  EXPECT_GE(of(clock.lap(), Phase::data), 0.002);
  EXPECT_EQ(of(clock.lap(), Phase::data), 0);
}

TEST(PhaseClock, CountsAPhaseThatIsStillOpenInBothLaps) {
  PhaseClock clock;
  const auto timed = clock.in(Phase::data);
  spend(0.002);
  EXPECT_GE(of(clock.lap(), Phase::data), 0.002);
  spend(0.002);
  EXPECT_GE(of(clock.lap(), Phase::data), 0.002);
}

}  // namespace
}  // namespace lockstep::train
