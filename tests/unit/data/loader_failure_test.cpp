#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "data/loader.hpp"
#include "error_of.hpp"
#include "scripted_dataset.hpp"

// What the loader does when samples are slow, broken or never come.
namespace lockstep::data {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using test::comes_true;
using test::expect_scripted;
using test::Gate;
using test::ScriptedDataset;
using testing::AllOf;
using testing::HasSubstr;
using Ids = std::vector<std::int64_t>;

TEST(Loader, ASlowSampleHoldsBackItsBatchAndNoOrderIsLost) {
  Gate gate;
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 4}, 0, 1);
  const std::int64_t slow = plan.ids(0)[1];
  std::atomic<bool> held = false;
  const ScriptedDataset dataset(64, [&](std::int64_t id) {
    if (id == slow && !held.exchange(true)) gate.pass();
  });
  Loader loader(dataset, plan, Augment{}, {.threads = 3, .ring = 4, .patience = 50ms});
  ASSERT_TRUE(comes_true([&] { return dataset.reads() == 15; })) << "the other threads go on";
  const std::string message =
      test::error_of(ErrorKind::data, [&] { static_cast<void>(loader.next()); });
  EXPECT_THAT(message, AllOf(HasSubstr("batch 0"), HasSubstr(fmt::format("[{}]", slow))));
  gate.open();
  ASSERT_TRUE(comes_true([&] { return dataset.reads() == 16; }));
  for (std::int64_t index = 0; index < 4; ++index) expect_scripted(*loader.next(), plan.ids(index));
}

TEST(Loader, AnErrorOfAThreadComesOutWithItsBatch) {
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 4}, 0, 1);
  const std::int64_t bad = plan.ids(3)[2];
  const ScriptedDataset dataset(64, [&](std::int64_t id) {
    if (id == bad) throw Error(ErrorKind::data, fmt::format("file of sample {} is damaged", id));
  });
  for (const std::int64_t threads : {1, 2, 4}) {
    Loader loader(dataset, plan, Augment{}, {.threads = threads, .ring = 4});
    for (std::int64_t index = 0; index < 3; ++index)
      expect_scripted(*loader.next(), plan.ids(index));
    for (int again = 0; again < 2; ++again) {
      EXPECT_THAT(test::error_of(ErrorKind::data, [&] { static_cast<void>(loader.next()); }),
                  HasSubstr(fmt::format("file of sample {} is damaged", bad)));
    }
  }
}

TEST(Loader, AnErrorDoesNotWaitForABlockedSample) {
  Gate gate;
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 4}, 0, 1);
  const std::int64_t blocked = plan.ids(0)[0];
  const ScriptedDataset dataset(64, [&](std::int64_t id) {
    if (id == blocked) gate.pass();
    throw Error(ErrorKind::data, "damaged");
  });
  Loader loader(dataset, plan, Augment{}, {.threads = 4, .ring = 2, .patience = 10s});
  EXPECT_EQ(test::error_of(ErrorKind::data, [&] { static_cast<void>(loader.next()); }), "damaged");
  gate.open();
}

TEST(Loader, APlanThatThrowsIsHeard) {
  class BadPlan final : public Plan {
   public:
    [[nodiscard]] Ids ids(std::int64_t index) const override {
      if (index == 2) throw Error(ErrorKind::internal, "no such batch");
      return {index};
    }
    [[nodiscard]] std::int64_t epoch(std::int64_t /*index*/) const override { return 0; }
    [[nodiscard]] std::int64_t largest_batch() const override { return 1; }
  };
  const ScriptedDataset dataset(10);
  const BadPlan plan;
  Loader loader(dataset, plan, Augment{}, {.threads = 2});
  expect_scripted(*loader.next(), {0});
  expect_scripted(*loader.next(), {1});
  EXPECT_EQ(test::error_of(ErrorKind::internal, [&] { static_cast<void>(loader.next()); }),
            "no such batch");
}

TEST(Loader, ABatchThatDoesNotComeIsGivenUp) {
  Gate gate;
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 4}, 0, 1);
  std::atomic<bool> begun = false;
  const ScriptedDataset dataset(64, [&](std::int64_t) {
    begun = true;
    gate.pass();
  });
  Loader loader(dataset, plan, Augment{}, {.threads = 1, .ring = 2, .patience = 30ms}, 7);
  ASSERT_TRUE(comes_true([&] { return begun.load(); }));
  const Clock::time_point begin = Clock::now();
  const std::string message =
      test::error_of(ErrorKind::data, [&] { static_cast<void>(loader.next()); });
  EXPECT_GE(Clock::now() - begin, 30ms);
  EXPECT_THAT(message, AllOf(HasSubstr("batch 7"), HasSubstr(fmt::format("[{}]", plan.ids(7)[0])),
                             HasSubstr("data.patience_s")));
  gate.open();
}

TEST(Loader, RefusesOptionsItCannotServe) {
  const ScriptedDataset dataset(10);
  const EvaluationPlan plan(10, 4, 0, 1);
  EXPECT_THAT(
      test::error_of(ErrorKind::usage, [&] { Loader(dataset, plan, Augment{}, {.threads = 0}); }),
      HasSubstr("data.threads is 0"));
  EXPECT_THAT(
      test::error_of(ErrorKind::usage, [&] { Loader(dataset, plan, Augment{}, {.ring = 1}); }),
      HasSubstr("data.ring is 1"));
}

}  // namespace
}  // namespace lockstep::data
