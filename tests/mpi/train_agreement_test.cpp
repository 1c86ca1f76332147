// What ranks must agree on, step by step, and at the end.
#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "checkpoint/agreement.hpp"
#include "comm/factory.hpp"
#include "core/error.hpp"
#include "data/synthetic.hpp"
#include "os/file.hpp"
#include "support/lone_communicator.hpp"
#include "support/mpi_main.hpp"
#include "support/networks.hpp"
#include "support/temp_folder.hpp"
#include "support/trainer_bench.hpp"
#include "train/evaluate.hpp"
#include "train/mpi_group.hpp"

namespace lockstep::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using tests::TinyNet;
using tests::world;

bool is_last_rank() { return world().rank() == world().size() - 1; }

/// Rank 0's bits are everybody's.
bool same_bits_everywhere(std::span<const float> mine) {
  std::vector<float> root(mine.begin(), mine.end());
  world().broadcast(view_of(std::span(root)), 0);
  return world().all(std::memcmp(mine.data(), root.data(), mine.size_bytes()) == 0);
}

class Ranks : public testing::Test {
 protected:
  void SetUp() override {
    comm_ = comm::make("mpi", world(),
                       {.patience = [] { return Clock::duration(std::chrono::seconds(30)); }});
    group_.emplace(*comm_);
    root_ = world().broadcast_text(folder_.path().string(), 0);
  }
  void TearDown() override {
    world().barrier();  // rank 0's folder goes with rank 0
    comm_->close();
  }
  // Each rank reads a configuration of its own; the run directory is one.
  std::unique_ptr<tests::TrainerBench> bench(model::Model& model,
                                             const std::vector<std::string>& overrides) {
    return std::make_unique<tests::TrainerBench>(folder_.path() / "config.yaml", root_ / "run",
                                                 *comm_, *group_, model, overrides);
  }

  test::TempFolder folder_;
  std::filesystem::path root_;
  std::unique_ptr<comm::Communicator> comm_;
  std::optional<MpiGroup> group_;
};

// D18 of what goes wrong in the field.
TEST_F(Ranks, HaveTheSameRunningStatisticsAtAllTimes) {
  const auto model = tests::network("resnet20", {.channels = 3, .classes = 4});
  const auto b = bench(*model, {"train.steps=5"});
  EXPECT_EQ(b->trainer().run(), Stop::finished);
  EXPECT_TRUE(same_bits_everywhere(model->parameters().statistics()));
  EXPECT_TRUE(same_bits_everywhere(model->parameters().weights()));

  // What this would see: a step whose statistics are not shared.
  const at::Tensor images = at::randn({2, 3, 8, 8}) + world().rank();
  static_cast<void>(model->forward(images, {.mode = model::Mode::training}));
  EXPECT_EQ(same_bits_everywhere(model->parameters().statistics()), world().size() == 1);
}

TEST_F(Ranks, TrainLikeOneProcess) {
  TinyNet together;
  const auto b = bench(together, {});
  EXPECT_EQ(b->trainer().run(), Stop::finished);

  TinyNet alone;
  tests::LoneCommunicator lone;
  checkpoint::Alone group;
  tests::TrainerBench single(folder_.path() / "single.yaml", folder_.path() / "single", lone, group,
                             alone, {});
  EXPECT_EQ(single.trainer().run(), Stop::finished);
  const auto mine = b->weights();
  const auto theirs = single.weights();
  for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(mine[i], theirs[i], 2e-6) << i;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(b->seen().steps[i].loss, single.seen().steps[i].loss, 1e-6);
    EXPECT_EQ(b->seen().steps[i].ids_hash, single.seen().steps[i].ids_hash);
  }
}

// F12: one rank alone has no number.
TEST_F(Ranks, AgreeInTheSameStepThatTheRunDiverged) {
  auto calls = std::make_shared<int>(0);
  TinyNet net({.spoil = [calls](const at::Tensor& logits) {
    const bool is_bad = ++*calls == 3 && is_last_rank();
    return is_bad ? logits * std::numeric_limits<float>::quiet_NaN() : logits;
  }});
  const auto b = bench(net, {});
  EXPECT_EQ(b->trainer().run(), Stop::diverged);
  EXPECT_EQ(b->trainer().progress().step, 2);
  EXPECT_EQ(*calls, 3);
  EXPECT_TRUE(same_bits_everywhere(net.parameters().weights()));
  for (const std::string& name : os::list_folder(root_ / "run"))
    EXPECT_FALSE(name.starts_with("step-")) << name;
}

TEST_F(Ranks, StopAtTheSameStepWhereOneAloneIsAsked) {
  // Each rank looks in a folder of its own.
  if (is_last_rank()) os::publish(folder_.path() / "STOP", "");
  TinyNet net;
  const auto b = bench(net, {"train.steps=1000"});
  EXPECT_EQ(b->trainer().run(), Stop::stop_file);
  const double step = static_cast<double>(b->trainer().progress().step);
  EXPECT_EQ(world().max(step), -world().max(-step));
  EXPECT_TRUE(same_bits_everywhere(net.parameters().weights()));
}

// Exact on the same number of ranks: weights, statistics, optimizer, cursor, random state.
TEST_F(Ranks, ResumeWithTheBitsOfARunWithoutABreak) {
  const TinyNet::Options options{.has_norm = true, .dropout = 0.3};
  const std::vector<std::string> saving = {"checkpoint.every_steps=3", "checkpoint.keep=9"};
  TinyNet straight(options);
  EXPECT_EQ(bench(straight, saving)->trainer().run(), Stop::finished);
  if (world().rank() == 0) std::filesystem::remove_all(root_ / "run" / "step-000000006");
  world().barrier();
  TinyNet broken(options);
  const auto b = bench(broken, saving);
  EXPECT_EQ(b->trainer().run(), Stop::finished);
  EXPECT_EQ(b->seen().steps.size(), 3U);
  const auto bits = [](std::span<const float> a, std::span<const float> c) {
    return std::memcmp(a.data(), c.data(), a.size_bytes()) == 0;
  };
  EXPECT_TRUE(bits(broken.parameters().weights(), straight.parameters().weights()));
  EXPECT_TRUE(bits(broken.parameters().statistics(), straight.parameters().statistics()));
}

// C16: 21 samples on 2 ranks are 21, not 22.
TEST_F(Ranks, EvaluateEverySampleExactlyOnce) {
  const data::Datasets data = data::open_synthetic(
      {.shape = {6, 6, 3}, .classes = 8, .train_samples = 8, .validation_samples = 21});
  TinyNet net({.classes = 8});
  net.parameters().allocate({.seed = 5});
  const Input input({}, {}, 3, -1);
  tests::LoneCommunicator lone;
  const Scores alone = evaluate(net, *data.validation, input, lone, {.batch = 4});
  const Scores shared = evaluate(net, *data.validation, input, *comm_, {.batch = 4});
  EXPECT_EQ(shared.samples, 21);
  EXPECT_EQ(std::lround(shared.top1 * 21), std::lround(alone.top1 * 21));
  EXPECT_EQ(std::lround(shared.top5 * 21), std::lround(alone.top5 * 21));
  EXPECT_NEAR(shared.loss, alone.loss, 1e-6);
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "";
}

TEST_F(Ranks, AllGetTheErrorThatOneOfThemHas) {
  const std::string message = message_of([&] {
    checkpoint::together(*group_, "opening", [] {
      if (is_last_rank()) throw Error(ErrorKind::data, "picture 17 is torn");
    });
  });
  EXPECT_THAT(message, HasSubstr("picture 17 is torn"));
  if (world().size() > 1) {
    EXPECT_THAT(message, HasSubstr(std::to_string(world().size() - 1)));
  }
  EXPECT_EQ(checkpoint::on_root(*group_, "asking", [] { return std::string("go on"); }), "go on");
}

TEST_F(Ranks, AllGetTheErrorOfTheRoot) {
  int calls = 0;
  EXPECT_THAT(message_of([&] {
                static_cast<void>(checkpoint::on_root(*group_, "looking", [&]() -> std::string {
                  ++calls;
                  throw Error(ErrorKind::data, "no such folder");
                }));
              }),
              HasSubstr("no such folder"));
  EXPECT_EQ(calls, world().rank() == 0 ? 1 : 0);
}

}  // namespace
}  // namespace lockstep::train
