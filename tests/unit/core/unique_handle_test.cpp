#include "core/unique_handle.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace lockstep {
namespace {

// What was closed, in order. Traits are static, so the record is, too; each test begins with an
// empty one.
std::vector<int>& closed() {
  static std::vector<int> record;
  return record;
}

struct NumberTraits {
  using value_type = int;
  static int null() noexcept { return -1; }
  static void close(int handle) noexcept { closed().push_back(handle); }
};
using Number = UniqueHandle<NumberTraits>;

class UniqueHandleTest : public testing::Test {
 protected:
  void SetUp() override { closed().clear(); }
};

TEST_F(UniqueHandleTest, ClosesOnceAtTheEnd) {
  {
    const Number handle(7);
    EXPECT_TRUE(handle);
    EXPECT_EQ(handle.get(), 7);
    EXPECT_TRUE(closed().empty());
  }
  EXPECT_EQ(closed(), std::vector<int>{7});
}

TEST_F(UniqueHandleTest, NeverClosesNull) {
  {
    const Number nothing;
    EXPECT_FALSE(nothing);
    EXPECT_EQ(nothing.get(), -1);
  }
  EXPECT_TRUE(closed().empty());
}

TEST_F(UniqueHandleTest, MovingHandsOverTheDutyToClose) {
  {
    Number first(1);
    const Number second(std::move(first));
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): null is what a moved handle must be
    EXPECT_EQ(second.get(), 1);
  }
  EXPECT_EQ(closed(), std::vector<int>{1});
}

TEST_F(UniqueHandleTest, AssigningClosesWhatWasHeld) {
  {
    Number held(1);
    held = Number(2);
    EXPECT_EQ(closed(), std::vector<int>{1});
  }
  EXPECT_EQ(closed(), (std::vector<int>{1, 2}));
}

TEST_F(UniqueHandleTest, SurvivesAssignmentToItself) {
  {
    Number handle(1);
    Number& same = handle;
    handle = std::move(same);
    EXPECT_EQ(handle.get(), 1);
    EXPECT_TRUE(closed().empty());
  }
  EXPECT_EQ(closed(), std::vector<int>{1});
}

TEST_F(UniqueHandleTest, ReleaseGivesUpOwnership) {
  {
    Number handle(3);
    EXPECT_EQ(handle.release(), 3);
    EXPECT_FALSE(handle);
  }
  EXPECT_TRUE(closed().empty());
}

TEST_F(UniqueHandleTest, ResetClosesAtOnce) {
  Number handle(3);
  handle.reset();
  EXPECT_EQ(closed(), std::vector<int>{3});
  handle.reset();
  EXPECT_EQ(closed(), std::vector<int>{3});
}

TEST_F(UniqueHandleTest, CannotBeCopied) {
  EXPECT_FALSE(std::is_copy_constructible_v<Number>);
  EXPECT_FALSE(std::is_copy_assignable_v<Number>);
}

}  // namespace
}  // namespace lockstep
