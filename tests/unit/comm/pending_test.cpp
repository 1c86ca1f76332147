#include <gtest/gtest.h>

#include <stdexcept>
#include <type_traits>

#include "comm/communicator.hpp"

namespace lockstep::comm {
namespace {

static_assert(!std::is_copy_constructible_v<Pending>, "one collective has one owner");

struct Counting : Pending::Operation {
  explicit Counting(int& count) : count_(count) {}
  void wait() override { ++count_; }
  int& count_;
};

TEST(Pending, WaitsOnce) {
  int waits = 0;
  Pending pending(std::make_unique<Counting>(waits));
  Pending moved = std::move(pending);
  moved.wait();
  moved.wait();
  EXPECT_EQ(waits, 1);
}

TEST(Pending, ThatIsCompleteNeedsNoWait) {
  Pending pending;
  pending.wait();
}

TEST(Pending, ReportsWhenItIsDroppedUnfinished) {
  int waits = 0;
  testing::internal::CaptureStderr();
  { const Pending dropped(std::make_unique<Counting>(waits)); }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("never waited for"), std::string::npos);
  EXPECT_EQ(waits, 0);
}

TEST(Pending, DroppedByAnExceptionIsNotReported) {
  int waits = 0;
  testing::internal::CaptureStderr();
  try {
    const Pending dropped(std::make_unique<Counting>(waits));
    throw std::runtime_error("something else");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace lockstep::comm
