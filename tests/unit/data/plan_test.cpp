#include "data/plan.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace lockstep::data {
namespace {

using Ids = std::vector<std::int64_t>;

TEST(TrainingPlan, IsTheRanksShareOfEachStep) {
  const Order order{.seed = 4, .dataset_size = 50, .global_batch = 7};
  for (int rank = 0; rank < 3; ++rank) {
    const TrainingPlan plan(order, rank, 3);
    std::int64_t largest = 0;
    for (std::int64_t step = 0; step < 20; ++step) {
      EXPECT_EQ(plan.ids(step), ids(order, step, rank, 3));
      EXPECT_EQ(plan.epoch(step), step / 7);
      largest = std::max(largest, static_cast<std::int64_t>(plan.ids(step).size()));
    }
    EXPECT_EQ(plan.largest_batch(), largest);
  }
}

TEST(TrainingPlan, RefusesWhatCannotBeTrained) {
  test::error_of(ErrorKind::usage, [] { static_cast<void>(TrainingPlan({0, 10, 11}, 0, 1)); });
  test::error_of(ErrorKind::usage, [] { static_cast<void>(TrainingPlan({0, 10, 2}, 0, 3)); });
}

TEST(EvaluationPlan, TakesEverySampleOnceOnAnyNumberOfRanks) {
  for (const std::int64_t size : {0, 1, 3, 21, 64}) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
      Ids seen;
      for (int rank = 0; rank < ranks; ++rank) {
        const EvaluationPlan plan(size, 4, rank, ranks);
        for (std::int64_t index = 0; !plan.ids(index).empty(); ++index) {
          const Ids batch = plan.ids(index);
          EXPECT_LE(static_cast<std::int64_t>(batch.size()), plan.largest_batch());
          EXPECT_EQ(plan.epoch(index), 0);
          seen.insert(seen.end(), batch.begin(), batch.end());
        }
      }
      Ids expected;
      for (std::int64_t id = 0; id < size; ++id) expected.push_back(id);
      EXPECT_EQ(seen, expected) << size << " samples on " << ranks << " ranks";
    }
  }
}

TEST(EvaluationPlan, StaysEmptyBehindItsEnd) {
  const EvaluationPlan plan(10, 4, 0, 1);
  EXPECT_EQ(plan.ids(2), (Ids{8, 9}));
  for (const std::int64_t index : {3, 4, 1000}) EXPECT_TRUE(plan.ids(index).empty());
}

}  // namespace
}  // namespace lockstep::data
