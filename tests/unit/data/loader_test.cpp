#include "data/loader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "core/deadline.hpp"
#include "core/philox.hpp"
#include "data/synthetic.hpp"
#include "error_of.hpp"

namespace lockstep::data {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using testing::AllOf;
using testing::HasSubstr;
using Ids = std::vector<std::int64_t>;

/// Sample id: every pixel is the low byte of id, the label is id modulo 5. What else happens in
/// read(), the test says.
class ScriptedDataset final : public Dataset {
 public:
  explicit ScriptedDataset(
      std::int64_t size, std::function<void(std::int64_t)> on_read = [](std::int64_t) {},
      ImageShape shape = {2, 2, 1})
      : size_(size), on_read_(std::move(on_read)), shape_(shape) {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] ImageShape shape() const override { return shape_; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }
  [[nodiscard]] std::string fingerprint() const override { return "scripted"; }
  [[nodiscard]] std::int64_t read(std::int64_t id, std::span<std::byte> pixels) const override {
    on_read_(id);
    std::fill(pixels.begin(), pixels.end(), static_cast<std::byte>(id));
    ++reads_;
    return id % 5;
  }
  [[nodiscard]] std::int64_t reads() const { return reads_; }

 private:
  std::int64_t size_;
  std::function<void(std::int64_t)> on_read_;
  ImageShape shape_;
  std::vector<std::string> classes_ = {"a", "b", "c", "d", "e"};
  mutable std::atomic<std::int64_t> reads_ = 0;
};

/// Holds threads until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

/// Waits, within reason, until something is so.
bool comes_true(const std::function<bool()>& condition) {
  const Deadline deadline = Deadline::after(10s);
  while (!condition()) {
    if (deadline.passed()) return false;
    std::this_thread::yield();
  }
  return true;
}

void expect_scripted(const Batch& batch, const Ids& expected) {
  ASSERT_EQ(batch.ids, expected);
  ASSERT_EQ(batch.count, static_cast<std::int64_t>(expected.size()));
  ASSERT_EQ(batch.pixels.size(), expected.size() * batch.shape.size_bytes());
  ASSERT_EQ(batch.labels.size(), expected.size());
  ASSERT_EQ(batch.other_labels, batch.labels);
  ASSERT_EQ(batch.weights, std::vector<float>(expected.size(), 1.0F));
  for (std::size_t row = 0; row < expected.size(); ++row) {
    ASSERT_EQ(batch.labels[row], expected[row] % 5);
    for (std::size_t i = 0; i < batch.shape.size_bytes(); ++i) {
      ASSERT_EQ(batch.pixels[row * batch.shape.size_bytes() + i],
                static_cast<std::byte>(expected[row]));
    }
  }
}

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

TEST(Loader, ASlowSampleHoldsBackItsBatchAndNoOrderIsLost) {
  Gate gate;
  const TrainingPlan plan({.seed = 2, .dataset_size = 64, .global_batch = 4}, 0, 1);
  const std::int64_t slow = plan.ids(0)[1];
  std::atomic<bool> held = false;
  const ScriptedDataset dataset(64, [&](std::int64_t id) {
    if (id == slow && !held.exchange(true)) gate.pass();
  });
  Loader loader(dataset, plan, Augment{}, {.threads = 3, .ring = 4, .patience = 50ms});
  const std::string message =
      test::error_of(ErrorKind::data, [&] { static_cast<void>(loader.next()); });
  EXPECT_THAT(message, AllOf(HasSubstr("batch 0"), HasSubstr(fmt::format("[{}]", slow))));
  EXPECT_GE(dataset.reads(), 12) << "the other threads went on";
  gate.open();
  ASSERT_TRUE(comes_true([&] { return dataset.reads() == 16; }));
  for (std::int64_t index = 0; index < 10; ++index)
    expect_scripted(*loader.next(), plan.ids(index));
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
  const ScriptedDataset dataset(64, [&](std::int64_t) { gate.pass(); });
  Loader loader(dataset, plan, Augment{}, {.threads = 1, .ring = 2, .patience = 30ms}, 7);
  const Clock::time_point begin = Clock::now();
  const std::string message =
      test::error_of(ErrorKind::data, [&] { static_cast<void>(loader.next()); });
  EXPECT_GE(Clock::now() - begin, 30ms);
  EXPECT_THAT(message, AllOf(HasSubstr("batch 7"), HasSubstr(fmt::format("[{}]", plan.ids(7)[0])),
                             HasSubstr("data.patience_s")));
  gate.open();
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
    ++begun;
    gate.pass();
  });
  const TrainingPlan plan({.seed = 2, .dataset_size = 1000, .global_batch = 500}, 0, 1);
  std::jthread opener;
  {
    const Loader loader(dataset, plan, Augment{}, {.threads = 2, .ring = 2});
    ASSERT_TRUE(comes_true([&] { return begun == 2; }));
    opener = std::jthread([&] {
      std::this_thread::sleep_for(30ms);
      gate.open();
    });
  }
  EXPECT_EQ(begun, 2);
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
