#include "train/trainer.hpp"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/error.hpp"
#include "os/file.hpp"
#include "support/lone_communicator.hpp"
#include "support/temp_folder.hpp"
#include "support/trainer_bench.hpp"

namespace lockstep::train {
namespace {

using tests::TinyNet;

// One rank, in a folder of its own.
struct Alone {
  explicit Alone(const std::filesystem::path& folder,
                 const std::vector<std::string>& overrides = {}, TinyNet::Options options = {})
      : net(std::move(options)),
        bench(folder / "config.yaml", folder / "run", ranks, group, net, overrides) {}

  TinyNet net;
  tests::LoneCommunicator ranks;
  checkpoint::Alone group;
  tests::TrainerBench bench;
};

class Training : public testing::Test {
 protected:
  std::filesystem::path run() const { return folder_.path() / "run"; }
  std::vector<std::string> committed() const {
    std::vector<std::string> names;
    for (const std::string& name : os::list_folder(run())) {
      if (name.starts_with("step-")) names.push_back(name);
    }
    return names;
  }
  // Shards only: a manifest tells times.
  static std::map<std::string, std::string> shards(const std::filesystem::path& step) {
    std::map<std::string, std::string> content;
    for (const std::string& name : os::list_folder(step)) {
      if (name.ends_with(".h5")) content[name] = os::read_text(step / name);
    }
    return content;
  }

  test::TempFolder folder_;
};

TEST_F(Training, MakesItsStepsTellsOfThemAndCommits) {
  Alone one(folder_.path());
  EXPECT_EQ(one.bench.trainer().run(), Stop::finished);
  const auto& steps = one.bench.seen().steps;
  ASSERT_EQ(steps.size(), 6U);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i) + 1;
    EXPECT_EQ(steps[i].progress.step, number);
    EXPECT_EQ(steps[i].progress.samples, 12 * number);
    EXPECT_EQ(steps[i].progress.epoch, (number - 1) / 2);
    EXPECT_EQ(steps[i].rate, 0.05);
    EXPECT_TRUE(std::isfinite(steps[i].loss));
    EXPECT_GT(steps[i].images_per_s, 0);
  }
  EXPECT_EQ(one.bench.seen().stops.at(0).stop, Stop::finished);
  EXPECT_EQ(committed(), std::vector<std::string>{"step-000000006"});
}

TEST_F(Training, SeesEachSampleOnceAnEpochInAnotherOrderEachTime) {
  Alone one(folder_.path());
  EXPECT_EQ(one.bench.trainer().run(), Stop::finished);
  const data::Order order{3, 24, 12};
  for (std::int64_t step = 0; step < 6; ++step) {
    IdsHash expected;
    expected.add(data::ids(order, step, 0, 1));
    EXPECT_EQ(one.bench.seen().steps[static_cast<std::size_t>(step)].ids_hash, expected.value());
  }
}

TEST_F(Training, LearnsToTellTheClassesApart) {
  Alone one(folder_.path(), {"train.steps=120", "optimizer.learning_rate=0.3"});
  EXPECT_EQ(one.bench.trainer().run(), Stop::finished);
  EXPECT_LT(one.bench.seen().steps.back().loss, 0.7 * one.bench.seen().steps.front().loss);
}

TEST_F(Training, EvaluatesAfterEachEpochAndAtTheEndOnce) {
  Alone one(folder_.path(), {"train.evaluate=true"});
  EXPECT_EQ(one.bench.trainer().run(), Stop::finished);
  std::vector<std::int64_t> at;
  for (const auto& e : one.bench.seen().evaluations) at.push_back(e.progress.step);
  EXPECT_EQ(at, (std::vector<std::int64_t>{2, 4, 6}));
  EXPECT_EQ(one.bench.seen().evaluations.back().samples, 6);
}

TEST_F(Training, GivesTheSameStateWithAndWithoutABreak) {
  const TinyNet::Options options{.has_norm = true, .dropout = 0.3};
  const std::vector<std::string> shape = {"schedule.name=cosine", "schedule.warmup_epochs=1"};
  const test::TempFolder elsewhere;
  Alone straight(elsewhere.path(), shape, options);
  EXPECT_EQ(straight.bench.trainer().run(), Stop::finished);

  auto with = shape;
  with.insert(with.end(), {"checkpoint.every_steps=3", "checkpoint.keep=9"});
  Alone saving(folder_.path(), with, options);
  EXPECT_EQ(saving.bench.trainer().run(), Stop::finished);
  EXPECT_EQ(saving.bench.seen().saves.size(), 2U);
  // Saving in between changes nothing.
  const auto whole = shards(elsewhere.path() / "run" / "step-000000006");
  ASSERT_FALSE(whole.empty());
  EXPECT_EQ(shards(run() / "step-000000006") == whole, true);

  std::filesystem::remove_all(run() / "step-000000006");
  Alone resumed(folder_.path(), with, options);
  EXPECT_EQ(resumed.bench.trainer().run(), Stop::finished);
  EXPECT_EQ(resumed.bench.seen().steps.size(), 3U);
  EXPECT_EQ(resumed.bench.seen().steps.front().progress.step, 4);
  EXPECT_EQ(resumed.bench.weights(), straight.bench.weights());
  EXPECT_EQ(shards(run() / "step-000000006") == whole, true);
  // What the comparison can see: three steps less are another state.
  EXPECT_EQ(shards(run() / "step-000000003") == whole, false);
}

TEST_F(Training, HasNothingToDoWhereTheRunIsFinished) {
  { EXPECT_EQ(Alone(folder_.path()).bench.trainer().run(), Stop::finished); }
  Alone again(folder_.path());
  EXPECT_EQ(again.bench.trainer().run(), Stop::finished);
  EXPECT_TRUE(again.bench.seen().steps.empty());
}

TEST_F(Training, GoesOnWhereTheRunIsMadeLonger) {
  { EXPECT_EQ(Alone(folder_.path()).bench.trainer().run(), Stop::finished); }
  Alone longer(folder_.path(), {"train.steps=8"});
  EXPECT_EQ(longer.bench.trainer().run(), Stop::finished);
  EXPECT_EQ(longer.bench.seen().steps.size(), 2U);
}

TEST_F(Training, StopsAfterTheStepAndCommitsWhereAFileAsksForIt) {
  std::ofstream(folder_.path() / "STOP").put('\n');
  Alone one(folder_.path());
  EXPECT_EQ(one.bench.trainer().run(), Stop::stop_file);
  EXPECT_EQ(one.bench.seen().steps.size(), 1U);
  EXPECT_EQ(committed(), std::vector<std::string>{"step-000000001"});
}

// Spoils the logits of the third step.
TinyNet::Options poisoned(float factor, int step) {
  auto calls = std::make_shared<int>(0);  // the closure is copied: its copies count together
  return {.spoil = [calls, factor, step](const at::Tensor& logits) {
    return ++*calls == step ? logits * factor : logits;
  }};
}

TEST_F(Training, EndsAsDivergedBeforeABadLossTouchesTheWeights) {
  Alone two(folder_.path(), {"train.steps=2", "checkpoint.at_end=false"});
  EXPECT_EQ(two.bench.trainer().run(), Stop::finished);
  Alone one(folder_.path(), {}, poisoned(std::numeric_limits<float>::quiet_NaN(), 3));
  EXPECT_EQ(one.bench.trainer().run(), Stop::diverged);
  EXPECT_EQ(one.bench.trainer().progress().step, 2);
  EXPECT_EQ(one.bench.weights(), two.bench.weights());
  EXPECT_TRUE(committed().empty());
  EXPECT_EQ(one.bench.seen().stops.at(0).stop, Stop::diverged);
  EXPECT_TRUE(std::isnan(one.bench.seen().steps.back().loss));
}

TEST_F(Training, NeverSavesWhatABadGradientSpoilt) {
  // The loss is finite, its gradient is not.
  const TinyNet::Options options{.spoil = [](const at::Tensor& logits) {
    return logits + 0 * (logits - logits.detach()).sqrt();
  }};
  Alone one(folder_.path(), {"checkpoint.every_steps=1"}, options);
  EXPECT_EQ(one.bench.trainer().run(), Stop::diverged);
  EXPECT_TRUE(std::isfinite(one.bench.seen().steps.back().loss));
  EXPECT_TRUE(committed().empty());
}

TEST_F(Training, WithMicroBatchesAddsUpToTheSameGradients) {
  const test::TempFolder elsewhere;
  Alone whole(elsewhere.path());
  Alone parts(folder_.path(), {"train.micro_batch=5"});  // 4 + 4 + 4
  EXPECT_EQ(whole.bench.trainer().run(), Stop::finished);
  EXPECT_EQ(parts.bench.trainer().run(), Stop::finished);
  const auto a = whole.bench.weights();
  const auto b = parts.bench.weights();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-6) << i;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(whole.bench.seen().steps[i].loss, parts.bench.seen().steps[i].loss, 1e-6);
    EXPECT_EQ(whole.bench.seen().steps[i].ids_hash, parts.bench.seen().steps[i].ids_hash);
  }
}

TEST_F(Training, ClipsTheGradientOfTheWholeBatch) {
  Alone one(folder_.path(), {"train.clip_norm=0.001", "train.steps=1", "optimizer.momentum=0",
                             "optimizer.weight_decay=0", "optimizer.learning_rate=1"});
  const auto before = one.bench.weights();
  EXPECT_EQ(one.bench.trainer().run(), Stop::finished);
  const auto after = one.bench.weights();
  double squares = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    squares += std::pow(static_cast<double>(after[i]) - static_cast<double>(before[i]), 2);
  // Differences of weights near 0.1 have an error of 1e-8 each.
  EXPECT_NEAR(std::sqrt(squares), 0.001, 1e-5);
}

TEST_F(Training, RefusesABatchThatTheDataCannotFill) {
  EXPECT_THROW(Alone(folder_.path(), {"train.global_batch=25"}), Error);
}

TEST_F(Training, SpendsItsTimeInPhasesThatAddUp) {
  Alone one(folder_.path());
  const auto began = Clock::now();
  EXPECT_EQ(one.bench.trainer().run(), Stop::finished);
  const double wall_s = seconds(Clock::now() - began);
  double phases_s = 0;
  for (const StepResult& step : one.bench.seen().steps)
    phases_s = std::accumulate(step.seconds.begin(), step.seconds.end(), phases_s);
  EXPECT_LE(phases_s, wall_s);
  for (const Phase phase : {Phase::forward, Phase::backward, Phase::optimizer})
    EXPECT_GT(one.bench.seen().steps[0].seconds[static_cast<std::size_t>(phase)], 0);
}

}  // namespace
}  // namespace lockstep::train
