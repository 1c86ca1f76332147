#include "data/order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "error_of.hpp"

namespace lockstep::data {
namespace {

using testing::HasSubstr;
using Ids = std::vector<std::int64_t>;

Ids global_ids(const Order& order, std::int64_t step, int size) {
  Ids all;
  for (int rank = 0; rank < size; ++rank) {
    const Ids part = ids(order, step, rank, size);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST(Share, SplitsEvenlyWithoutGapOrOverlap) {
  for (std::int64_t count = 0; count <= 40; ++count) {
    for (int size = 1; size <= 9; ++size) {
      std::int64_t end = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Share share = share_of(count, rank, size);
        EXPECT_EQ(share.begin, end);
        end = share.end;
        EXPECT_GE(share.end - share.begin, count / size);
        EXPECT_LE(share.end - share.begin, (count + size - 1) / size);
      }
      EXPECT_EQ(end, count);
    }
  }
}

TEST(Order, GlobalBatchesDoNotDependOnTheNumberOfRanks) {
  const Order order{.seed = 1, .dataset_size = 1000, .global_batch = 37};
  for (std::int64_t step = 0; step < 60; ++step) {
    const Ids alone = ids(order, step, 0, 1);
    EXPECT_EQ(alone.size(), 37U);
    for (const int size : {2, 3, 4, 7, 37}) EXPECT_EQ(global_ids(order, step, size), alone) << step;
  }
}

TEST(Order, AnEpochHasEverySampleAtMostOnce) {
  const Order order{.seed = 3, .dataset_size = 100, .global_batch = 8};
  ASSERT_EQ(order.steps_per_epoch(), 12);
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    std::set<std::int64_t> seen;
    for (std::int64_t step = 0; step < 12; ++step) {
      for (const std::int64_t id : ids(order, epoch * 12 + step, 0, 1)) {
        EXPECT_GE(id, 0);
        EXPECT_LT(id, 100);
        EXPECT_TRUE(seen.insert(id).second) << id << " comes twice in epoch " << epoch;
      }
    }
    EXPECT_EQ(seen.size(), 96U);
  }
}

TEST(Order, WhatIsLeftOutDiffersFromEpochToEpoch) {
  const Order order{.seed = 3, .dataset_size = 100, .global_batch = 8};
  std::set<std::int64_t> left_out;
  for (std::int64_t epoch = 0; epoch < 30; ++epoch) {
    for (std::int64_t position = 96; position < 100; ++position)
      left_out.insert(order.sample(epoch, position));
  }
  // 30 draws of 4 of 100: 71 different ones are expected.
  EXPECT_GT(left_out.size(), 55U);
}

TEST(Order, EpochsAreShuffledAnew) {
  const Order order{.seed = 0, .dataset_size = 22, .global_batch = 22};
  EXPECT_EQ(ids(order, 0, 0, 1), ids(order, 0, 0, 1));
  std::set<Ids> orders;
  for (std::int64_t epoch = 0; epoch < 10; ++epoch) {
    Ids one = ids(order, epoch, 0, 1);
    orders.insert(one);
    std::sort(one.begin(), one.end());
    for (std::int64_t i = 0; i < 22; ++i) EXPECT_EQ(one[static_cast<std::size_t>(i)], i);
  }
  EXPECT_EQ(orders.size(), 10U);
}

TEST(Order, SeedsGiveOtherOrders) {
  const Order one{.seed = 1, .dataset_size = 100, .global_batch = 100};
  const Order two{.seed = 2, .dataset_size = 100, .global_batch = 100};
  EXPECT_NE(ids(one, 0, 0, 1), ids(two, 0, 0, 1));
  // The same sum of seed and epoch is not the same order.
  EXPECT_NE(ids(one, 1, 0, 1), ids(two, 0, 0, 1));
}

TEST(Order, ARunThatResumesOnOtherRanksSeesTheSameStream) {
  const Order order{.seed = 9, .dataset_size = 64, .global_batch = 5};
  Ids straight;
  for (std::int64_t step = 0; step < 30; ++step) {
    const Ids batch = global_ids(order, step, 1);
    straight.insert(straight.end(), batch.begin(), batch.end());
  }
  Ids resumed;  // 4 ranks for 17 steps, in the middle of the second epoch, then 3
  for (std::int64_t step = 0; step < 30; ++step) {
    const Ids batch = global_ids(order, step, step < 17 ? 4 : 3);
    resumed.insert(resumed.end(), batch.begin(), batch.end());
  }
  EXPECT_EQ(order.epoch_of(17), 1);
  EXPECT_EQ(resumed, straight);
}

TEST(Order, CountsEpochsByWholeSteps) {
  const Order order{.seed = 0, .dataset_size = 125, .global_batch = 10};
  EXPECT_EQ(order.steps_per_epoch(), 12);
  EXPECT_EQ(order.epoch_of(11), 0);
  EXPECT_EQ(order.epoch_of(12), 1);
  EXPECT_EQ(ids(order, 12, 0, 1).front(), order.sample(1, 0));
}

TEST(Order, NumbersAreFixedForEver) {
  // A run that resumes with a newer program must see the same samples.
  const Order order{.seed = 1234, .dataset_size = 1000, .global_batch = 8};
  EXPECT_EQ(ids(order, 0, 0, 1), (Ids{353, 846, 9, 703, 312, 240, 570, 476}));
  EXPECT_EQ(ids(order, 126, 0, 1), (Ids{990, 44, 798, 830, 699, 187, 269, 180}));
}

TEST(Order, RefusesABatchLargerThanTheDataSet) {
  const Order order{.seed = 0, .dataset_size = 100, .global_batch = 128};
  const std::string message = test::error_of(ErrorKind::usage, [&] { require_usable(order, 1); });
  EXPECT_THAT(message, HasSubstr("train.global_batch is 128"));
  EXPECT_THAT(message, HasSubstr("100 training samples"));
  test::error_of(ErrorKind::usage, [&] { static_cast<void>(ids(order, 0, 0, 1)); });
  test::error_of(ErrorKind::usage, [&] { static_cast<void>(order.epoch_of(0)); });
}

TEST(Order, RefusesABatchThatLeavesARankWithoutSample) {
  const Order order{.seed = 0, .dataset_size = 100, .global_batch = 3};
  const std::string message = test::error_of(ErrorKind::usage, [&] { require_usable(order, 4); });
  EXPECT_THAT(message, HasSubstr("train.global_batch is 3"));
  EXPECT_THAT(message, HasSubstr("4 ranks"));
  EXPECT_NO_THROW(require_usable(order, 3));
  test::error_of(ErrorKind::usage, [] { require_usable(Order{0, 100, 0}, 1); });
}

}  // namespace
}  // namespace lockstep::data
