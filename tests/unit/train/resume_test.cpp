// Six steps are the same bits as three steps, a checkpoint, new objects and three steps more. The
// pieces are put together by hand here, so that each can be spoilt to show that the test would see
// it; trainer_test.cpp asks the same of the trainer.
#include <gtest/gtest.h>

#include <map>

#include "checkpoint/checkpointer.hpp"
#include "data/loader.hpp"
#include "data/synthetic.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_net.hpp"
#include "train/input.hpp"
#include "train/loss.hpp"
#include "train/optimizer.hpp"
#include "train/schedule.hpp"
#include "train/state.hpp"

namespace lockstep::train {
namespace {

// Every tensor and text of the state, byte by byte.
using Snapshot = std::map<std::string, std::vector<std::byte>>;

const data::Datasets& datasets() {
  static const data::Datasets data = data::open_synthetic(
      {.shape = {8, 8, 3}, .classes = 5, .train_samples = 20, .validation_samples = 5});
  return data;
}

class Attempt {
 public:
  Attempt(const OptimizerSettings& settings, const std::filesystem::path& root, std::uint64_t seed)
      : optimizer_(make_optimizer(settings, allocated(seed))), checkpointer_(root, alone_, "test") {
    start_loading(0);
  }

  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }
  void save() {
    const auto parts = state();
    checkpoint::Facts facts;
    facts.step = cursor_.step();
    static_cast<void>(checkpointer_.save(facts, parts));
  }
  void load() {
    const auto parts = state();
    const auto loaded = checkpointer_.load_newest(parts);
    ASSERT_TRUE(loaded.has_value());
    EXPECT_EQ(loaded->how, checkpoint::Restored::exact);
    start_loading(cursor_.step());
  }
  void start_loading(std::int64_t first) {
    loader_ = std::make_unique<data::Loader>(*datasets().train, plan_, data::Augment{1, 1, true},
                                             data::LoaderOptions{}, first);
  }
  void forget(const std::string& part) {
    for (checkpoint::Saveable* saveable : state()) {
      if (saveable->name() != part) continue;
      for (const checkpoint::TensorView& view : saveable->tensors())
        std::fill_n(static_cast<std::byte*>(view.data), bytes_of(view), std::byte{0});
    }
  }
  void seed_generator_anew() { random_.after_load("{}", checkpoint::Restored::elastic); }
  [[nodiscard]] Snapshot snapshot() {
    Snapshot result;
    for (checkpoint::Saveable* saveable : state()) {
      const std::string part(saveable->name());
      saveable->before_save();
      for (const checkpoint::TensorView& view : saveable->tensors()) {
        const auto* data = static_cast<const std::byte*>(view.data);
        result[part + "/" + view.name].assign(data, data + bytes_of(view));
      }
      for (const char c : saveable->text()) result[part].push_back(static_cast<std::byte>(c));
    }
    return result;
  }

 private:
  model::ParameterStore& allocated(std::uint64_t seed) {
    net_.parameters().allocate({.report_count = 30, .seed = seed});
    return net_.parameters();
  }
  static std::size_t bytes_of(const checkpoint::TensorView& view) {
    return static_cast<std::size_t>(view.count()) * size_of(view.dtype);
  }
  std::vector<checkpoint::Saveable*> state() {
    return {&model_state_, optimizer_.get(), &schedule_, &cursor_, &random_};
  }
  void step() {
    const data::Batch* batch = loader_->next();
    const at::Tensor logits =
        net_.forward(input_.images(*batch, 0, batch->count), {.mode = model::Mode::training});
    net_.parameters().count_batch();
    cross_entropy(logits, input_.labels(*batch, 0, batch->count), 0.1, 4).backward();
    EXPECT_TRUE(optimizer_->step(schedule_.rate(), 1));
    schedule_.advance();
    cursor_.advance();
  }

  data::Order order_{1, 20, 4};
  tests::TinyNet net_{{.has_norm = true, .dropout = 0.3}};
  std::unique_ptr<Optimizer> optimizer_;
  Schedule schedule_{{.name = ScheduleName::cosine, .warmup_epochs = 0.4}, 0.1, {6, 5}};
  ModelState model_state_{net_};
  CursorState cursor_{order_, datasets().train->fingerprint(), datasets().train->classes()};
  RandomState random_{1, 0, cursor_};
  Input input_{{}, {}, 3, -1};
  data::TrainingPlan plan_{order_, 0, 1};
  std::unique_ptr<data::Loader> loader_;
  checkpoint::Alone alone_;
  checkpoint::Checkpointer checkpointer_;
};

class ExactResume : public testing::TestWithParam<OptimizerName> {
 protected:
  Snapshot straight() const {
    Attempt run(settings_, folder_.path(), kSeed);
    run.steps(6);
    return run.snapshot();
  }
  void run_half_and_save() const {
    Attempt run(settings_, folder_.path(), kSeed);
    run.steps(3);
    run.save();
  }
  // New objects that began with other weights; `spoil` is called after they have loaded.
  Snapshot resumed(const std::function<void(Attempt&)>& spoil) const {
    Attempt run(settings_, folder_.path(), kSeed + 1);
    run.load();
    spoil(run);
    run.steps(3);
    return run.snapshot();
  }
  static bool is_same_model(const Snapshot& a, const Snapshot& b) {
    return a.at("model/conv.weight") == b.at("model/conv.weight") &&
           a.at("model/fc.weight") == b.at("model/fc.weight");
  }

  static constexpr std::uint64_t kSeed = 11;
  OptimizerSettings settings_{.name = GetParam(), .weight_decay = 0.01};
  test::TempFolder folder_;
};

TEST_P(ExactResume, GivesTheBitsOfARunWithoutABreak) {
  const Snapshot whole = straight();
  run_half_and_save();
  const Snapshot broken = resumed([](Attempt&) {});
  ASSERT_EQ(broken.size(), whole.size());
  for (const auto& [name, bytes] : whole) EXPECT_EQ(broken.at(name), bytes) << name;
  EXPECT_GE(whole.count("random/cpu"), 1U);
  EXPECT_GE(whole.count("model/bn.running_var"), 1U);
}

TEST_P(ExactResume, IsTheSameTwice) { EXPECT_EQ(straight(), straight()); }

TEST_P(ExactResume, WouldSeeALostOptimizerState) {
  const Snapshot whole = straight();
  run_half_and_save();
  EXPECT_FALSE(is_same_model(resumed([](Attempt& run) { run.forget("optimizer"); }), whole));
}

TEST_P(ExactResume, WouldSeeACursorThatBeginsAgain) {
  const Snapshot whole = straight();
  run_half_and_save();
  EXPECT_FALSE(is_same_model(resumed([](Attempt& run) { run.start_loading(0); }), whole));
}

TEST_P(ExactResume, WouldSeeALostRandomState) {
  const Snapshot whole = straight();
  run_half_and_save();
  EXPECT_FALSE(is_same_model(resumed([](Attempt& run) { run.seed_generator_anew(); }), whole));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, ExactResume,
                         testing::Values(OptimizerName::sgd, OptimizerName::adam,
                                         OptimizerName::adamw),
                         [](const auto& one) {
                           return one.param == OptimizerName::sgd    ? "Sgd"
                                  : one.param == OptimizerName::adam ? "Adam"
                                                                     : "AdamW";
                         });

}  // namespace
}  // namespace lockstep::train
