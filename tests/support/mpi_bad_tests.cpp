// Tests that are wrong on one rank only, on purpose: tests/mpi/harness.sh looks at what
// mpi_main.cpp makes of them.
#include <gtest/gtest.h>

#include <stdexcept>

#include "support/mpi_main.hpp"

namespace lockstep::tests {
namespace {

TEST(Bad, FailsOnRankOne) { EXPECT_NE(world().rank(), 1); }

TEST(Bad, ThrowsOnRankOne) {
  if (world().rank() == 1) throw std::runtime_error("thrown on purpose");
}

TEST(Bad, HangsOnRankZero) {
  if (world().rank() == 0) world().barrier();
}

TEST(Good, PassesEverywhere) { EXPECT_TRUE(world().all(true)); }

}  // namespace
}  // namespace lockstep::tests
