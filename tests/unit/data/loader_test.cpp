#include "data/loader.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <set>
#include <thread>

#include "core/deadline.hpp"
#include "core/philox.hpp"
#include "data/synthetic.hpp"
#include "scripted_dataset.hpp"

namespace lockstep::data {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using test::comes_true;
using test::expect_scripted;
using test::Gate;
using test::ScriptedDataset;

std::vector<Batch> batches_of(const Dataset& dataset, const Plan& plan, const Augment& augment,
                              std::int64_t threads, std::size_t count) {
  Loader loader(dataset, plan, augment, {.threads = threads, .ring = 3, .patience = 10s});
  std::vector<Batch> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(*loader.next());
  return result;
}

TEST(Loader, GivesTheBatchesOfThePlanInOrder) {
  const ScriptedDataset dataset(100);
  const TrainingPlan plan({.seed = 1, .dataset_size = 100, .global_batch = 9}, 1, 2);
  for (const std::int64_t threads : {1, 2, 3, 5}) {
    Loader loader(dataset, plan, Augment{}, {.threads = threads, .ring = 2});
    for (std::int64_t index = 0; index < 50; ++index) {
      const Batch* batch = loader.next();
      ASSERT_NE(batch, nullptr);
      EXPECT_EQ(batch->index, index);
      EXPECT_EQ(batch->shape, dataset.shape());
      expect_scripted(*batch, plan.ids(index));
    }
  }
}

TEST(Loader, ContentDoesNotDependOnTheNumberOfThreads) {
  const Datasets datasets = open_synthetic(
      {.shape = {48, 40, 3}, .classes = 7, .train_samples = 100, .validation_samples = 1});
  const TrainingPlan plan({.seed = 3, .dataset_size = 100, .global_batch = 16}, 0, 1);
  for (const Augment& augment : {Augment{}, Augment{.seed = 5, .crop_padding = 3, .flip = true}}) {
    const std::vector<Batch> alone = batches_of(*datasets.train, plan, augment, 1, 15);
    for (const std::int64_t threads : {2, 3, 5}) {
      const std::vector<Batch> several = batches_of(*datasets.train, plan, augment, threads, 15);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_EQ(several[i].ids, alone[i].ids);
        EXPECT_EQ(several[i].labels, alone[i].labels);
        EXPECT_EQ(several[i].pixels, alone[i].pixels)
            << "batch " << i << " with " << threads << " threads";
      }
    }
  }
}

TEST(Loader, AugmentsEachSampleByItsEpoch) {
  const Datasets datasets = open_synthetic(
      {.shape = {8, 8, 3}, .classes = 2, .train_samples = 10, .validation_samples = 1});
  const TrainingPlan plan({.seed = 3, .dataset_size = 10, .global_batch = 5}, 0, 1);
  const Augment augment{.seed = 9, .crop_padding = 2, .flip = true};
  Loader loader(*datasets.train, plan, augment, {.threads = 2});
  const std::size_t bytes = datasets.train->shape().size_bytes();
  std::vector<std::byte> plain(bytes);
  std::vector<std::byte> expected(bytes);
  for (std::int64_t index = 0; index < 6; ++index) {
    const Batch* batch = loader.next();
    for (std::size_t row = 0; row < batch->ids.size(); ++row) {
      static_cast<void>(datasets.train->read(batch->ids[row], plain));
      augment.apply(index / 2, batch->ids[row], batch->shape, plain, expected);
      const auto got = std::span(batch->pixels).subspan(row * bytes, bytes);
      EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin()));
    }
  }
}

TEST(Loader, EndsWithThePlanAndStaysThere) {
  const ScriptedDataset dataset(21);
  for (const std::int64_t threads : {1, 3}) {
    std::int64_t seen = 0;
    for (int rank = 0; rank < 2; ++rank) {
      const EvaluationPlan plan(21, 4, rank, 2);
      Loader loader(dataset, plan, Augment{}, {.threads = threads});
      while (const Batch* batch = loader.next()) {
        expect_scripted(*batch, plan.ids(batch->index));
        seen += batch->count;
      }
      EXPECT_EQ(loader.next(), nullptr);
    }
    EXPECT_EQ(seen, 21);
  }
}

TEST(Loader, APlanWithoutBatchesEndsAtOnce) {
  const ScriptedDataset dataset(2);
  const EvaluationPlan plan(2, 4, 2, 3);
  Loader loader(dataset, plan, Augment{}, {.threads = 2});
  EXPECT_EQ(loader.next(), nullptr);
}

TEST(Loader, BeginsWhereARunResumes) {
  const ScriptedDataset dataset(50);
  const TrainingPlan plan({.seed = 2, .dataset_size = 50, .global_batch = 8}, 0, 1);
  Loader loader(dataset, plan, Augment{}, {.threads = 2, .ring = 3}, 1'000'001);
  for (std::int64_t index = 1'000'001; index < 1'000'010; ++index) {
    const Batch* batch = loader.next();
    EXPECT_EQ(batch->index, index);
    expect_scripted(*batch, plan.ids(index));
  }
  EXPECT_LT(dataset.reads(), 100);
}

TEST(Loader, ReusesTheBuffersOfItsRing) {
  const ScriptedDataset dataset(64);
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 8}, 0, 1);
  Loader loader(dataset, plan, Augment{}, {.threads = 2, .ring = 3});
  std::set<const std::byte*> buffers;
  for (int i = 0; i < 30; ++i) buffers.insert(loader.next()->pixels.data());
  EXPECT_EQ(buffers.size(), 3U);
}

TEST(Loader, ReadsNoFurtherThanItsRing) {
  const ScriptedDataset dataset(64);
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 8}, 0, 1);
  Loader loader(dataset, plan, Augment{}, {.threads = 3, .ring = 4});
  ASSERT_TRUE(comes_true([&] { return dataset.reads() == 32; }));
  static_cast<void>(loader.next());  // the caller holds a slot now, which frees none
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(dataset.reads(), 32);
  static_cast<void>(loader.next());
  EXPECT_TRUE(comes_true([&] { return dataset.reads() == 40; }));
}

TEST(Loader, ABatchStaysAsItIsUntilTheNextIsAskedFor) {
  const ScriptedDataset dataset(64);
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 8}, 0, 1);
  Loader loader(dataset, plan, Augment{}, {.threads = 2, .ring = 2});
  const Batch* batch = loader.next();
  ASSERT_TRUE(comes_true([&] { return dataset.reads() == 16; }));
  std::this_thread::sleep_for(20ms);
  expect_scripted(*batch, plan.ids(0));
}

TEST(Loader, SamplesOfUnevenCostComeInOrder) {
  const TrainingPlan plan({.seed = 2, .dataset_size = 200, .global_batch = 12}, 0, 1);
  const ScriptedDataset dataset(200, [](std::int64_t id) {
    for (std::uint64_t i = 0; i < mix(static_cast<std::uint64_t>(id)) % 16; ++i)
      std::this_thread::yield();
  });
  Loader loader(dataset, plan, Augment{}, {.threads = 5, .ring = 3});
  for (std::int64_t index = 0; index < 100; ++index)
    expect_scripted(*loader.next(), plan.ids(index));
}

TEST(Loader, StopsWhileItsThreadsWait) {
  const ScriptedDataset dataset(64);
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 8}, 0, 1);
  for (int round = 0; round < 20; ++round) {
    const std::int64_t before = dataset.reads();
    const Loader loader(dataset, plan, Augment{}, {.threads = 4, .ring = 2});
    // Every second one ends in the middle of its work.
    if (round % 2 == 1) {
      ASSERT_TRUE(comes_true([&] { return dataset.reads() == before + 16; }));
    }
  }
  Clock::time_point begin;
  {
    const std::int64_t before = dataset.reads();
    const Loader loader(dataset, plan, Augment{}, {.threads = 4, .ring = 2});
    ASSERT_TRUE(comes_true([&] { return dataset.reads() == before + 16; }));
    begin = Clock::now();
  }
  EXPECT_LT(Clock::now() - begin, 2s);
}

TEST(Loader, StopsAfterTheReadsThatHaveBegun) {
  Gate gate;
  std::atomic<int> begun = 0;
  const ScriptedDataset dataset(1000, [&](std::int64_t) {
    if (++begun > 2) std::this_thread::sleep_for(1ms);  // all of them would take half a second
    gate.pass();
  });
  const TrainingPlan plan({.seed = 2, .dataset_size = 1000, .global_batch = 500}, 0, 1);
  std::jthread opener;
  {
    const Loader loader(dataset, plan, Augment{}, {.threads = 2, .ring = 2});
    ASSERT_TRUE(comes_true([&] { return begun == 2; }));
    opener = std::jthread([&] {
      std::this_thread::sleep_for(20ms);
      gate.open();
    });
  }
  EXPECT_LT(begun, 800);
}

TEST(Loader, IdleThreadsUseNoProcessor) {
  const ScriptedDataset dataset(64);
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 8}, 0, 1);
  const Loader loader(dataset, plan, Augment{}, {.threads = 4, .ring = 2});
  ASSERT_TRUE(comes_true([&] { return dataset.reads() == 16; }));
  std::this_thread::sleep_for(10ms);
  const auto processor_time = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto before = processor_time();
  std::this_thread::sleep_for(100ms);
  EXPECT_LT(processor_time() - before, 20ms);
}

}  // namespace
}  // namespace lockstep::data
