#include "core/deadline.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;

TEST(Deadline, WithoutPatienceHasPassed) {
  const Deadline deadline = Deadline::after(0ms);
  EXPECT_TRUE(deadline.passed());
  EXPECT_EQ(deadline.remaining(), Clock::duration::zero());
}

TEST(Deadline, LongPastHasNothingRemaining) {
  EXPECT_EQ(Deadline::after(-1h).remaining(), Clock::duration::zero());
  EXPECT_TRUE(Deadline::after(-1h).passed());
}

TEST(Deadline, AheadHasNotPassed) {
  const Deadline deadline = Deadline::after(1h);
  EXPECT_FALSE(deadline.passed());
  EXPECT_LE(deadline.remaining(), 1h);
  EXPECT_GT(deadline.remaining(), 59min);
  EXPECT_GT(deadline.when(), Clock::now());
}

TEST(Deadline, SecondsAreFractional) { EXPECT_DOUBLE_EQ(seconds(1500ms), 1.5); }

}  // namespace
}  // namespace lockstep
