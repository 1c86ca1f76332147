#include "train/optimizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/reference.hpp"
#include "train/flat.hpp"

namespace lockstep::train {
namespace {

using Floats = std::vector<float>;
using nlohmann::json;

// Weights are near 1, so one rounding is 6e-8; PyTorch and we round a few times a step, in another
// order, over three steps.
constexpr float kTolerance = 5e-7F;

// "decayed" and "kept" begin alike and get the same gradients; weight decay tells them apart.
struct Twins {
  explicit Twins(const Floats& start) {
    const auto count = static_cast<std::int64_t>(start.size());
    store.add("decayed", model::Role::weight, {count}, {}, model::Decay::yes);
    store.add("statistic", model::Role::statistic, {count}, {}, model::Decay::no);
    store.add("kept", model::Role::weight, {count}, {}, model::Decay::no);
    store.allocate({.report_count = 30});
    put(store.weights(), start);
  }
  void put(std::span<float> flat, const Floats& values) const {
    for (const std::size_t entry : {0UL, 2UL})
      std::copy(values.begin(), values.end(), flat.begin() + offset(entry));
  }
  [[nodiscard]] std::ptrdiff_t offset(std::size_t entry) const {
    return static_cast<std::ptrdiff_t>(store.entries()[entry].offset);
  }
  [[nodiscard]] Floats weights(std::size_t entry) const {
    const auto begin = store.weights().begin() + offset(entry);
    return {begin, begin + static_cast<std::ptrdiff_t>(store.entries()[entry].count)};
  }

  model::ParameterStore store;
};

OptimizerSettings settings_of(const std::string& name, const json& row) {
  const json& given = row.at("settings");
  OptimizerSettings s{.momentum = 0};
  s.name = name.starts_with("adamw")  ? OptimizerName::adamw
           : name.starts_with("adam") ? OptimizerName::adam
                                      : OptimizerName::sgd;
  s.learning_rate = given.at("lr");
  s.momentum = given.value("momentum", 0.0);
  s.nesterov = given.value("nesterov", false);
  s.weight_decay = given.value("weight_decay", 0.0);
  s.epsilon = given.value("eps", 1e-8);
  if (given.contains("betas")) {
    s.beta1 = given.at("betas").at(0);
    s.beta2 = given.at("betas").at(1);
  }
  return s;
}

void expect_near(const Floats& got, const Floats& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], kTolerance) << what << ", element " << i;
}

class Optimizers : public testing::TestWithParam<std::string> {
 protected:
  json all_ = tests::reference("optimizers.json");
  json row_ = all_.at(GetParam());
  OptimizerSettings settings_ = settings_of(GetParam(), row_);
};

TEST_P(Optimizers, FollowPyTorchForThreeSteps) {
  Twins twins(all_.at("start").get<Floats>());
  const auto optimizer = make_optimizer(settings_, twins.store);
  for (std::size_t step = 0; step < 3; ++step) {
    twins.put(twins.store.gradients(), all_.at("gradients").at(step).get<Floats>());
    EXPECT_TRUE(optimizer->step(settings_.learning_rate, 1));
    expect_near(twins.weights(0), row_.at("after").at(step).get<Floats>(),
                GetParam() + ", step " + std::to_string(step));
  }
}

TEST_P(Optimizers, KeepDecayFromNormsAndBiases) {
  Twins twins(all_.at("start").get<Floats>());
  Twins undecayed(all_.at("start").get<Floats>());
  const auto optimizer = make_optimizer(settings_, twins.store);
  OptimizerSettings without = settings_;
  without.weight_decay = 0;
  const auto other = make_optimizer(without, undecayed.store);
  for (std::size_t step = 0; step < 3; ++step) {
    const auto gradients = all_.at("gradients").at(step).get<Floats>();
    twins.put(twins.store.gradients(), gradients);
    undecayed.put(undecayed.store.gradients(), gradients);
    EXPECT_TRUE(optimizer->step(settings_.learning_rate, 1));
    EXPECT_TRUE(other->step(settings_.learning_rate, 1));
  }
  EXPECT_EQ(twins.weights(2), undecayed.weights(2));
  EXPECT_EQ(twins.weights(0) == twins.weights(2), settings_.weight_decay == 0);
}

TEST_P(Optimizers, LeaveTheGradientsZeroForTheNextStep) {
  Twins twins(all_.at("start").get<Floats>());
  twins.put(twins.store.gradients(), all_.at("gradients").at(0).get<Floats>());
  EXPECT_TRUE(make_optimizer(settings_, twins.store)->step(0.1, 1));
  for (const float gradient : twins.store.gradients()) EXPECT_EQ(gradient, 0.0F);
}

TEST_P(Optimizers, TellOfAGradientThatIsNoNumber) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t entry : {0UL, 2UL}) {
      Twins twins(all_.at("start").get<Floats>());
      const auto optimizer = make_optimizer(settings_, twins.store);
      EXPECT_TRUE(optimizer->step(0.1, 1));
      twins.store.gradients()[static_cast<std::size_t>(twins.offset(entry)) + 7] = bad;
      EXPECT_FALSE(optimizer->step(0.1, 1)) << bad;
    }
  }
}

TEST_P(Optimizers, ScaleGradientsBeforeTheyUseThem) {
  const auto gradients = all_.at("gradients").at(0).get<Floats>();
  Floats halves = gradients;
  for (float& value : halves) value /= 2;
  Twins scaled(all_.at("start").get<Floats>());
  Twins given(all_.at("start").get<Floats>());
  scaled.put(scaled.store.gradients(), gradients);
  given.put(given.store.gradients(), halves);
  EXPECT_TRUE(make_optimizer(settings_, scaled.store)->step(0.1, 0.5));
  EXPECT_TRUE(make_optimizer(settings_, given.store)->step(0.1, 1));
  EXPECT_EQ(scaled.weights(0), given.weights(0));
}

INSTANTIATE_TEST_SUITE_P(Cases, Optimizers,
                         testing::Values("sgd", "sgd_weight_decay", "sgd_momentum", "sgd_nesterov",
                                         "adam", "adam_weight_decay", "adamw"),
                         [](const auto& one) { return one.param; });

TEST(Clipping, FollowsPyTorchsGlobalNorm) {
  const auto reference = tests::reference("optimizers.json");
  for (const json& row : reference.at("clip_by_global_norm")) {
    model::ParameterStore store;
    store.add("a", model::Role::weight, {5}, {}, model::Decay::yes);
    store.add("b", model::Role::weight, {3}, {}, model::Decay::yes);
    store.allocate({});
    const auto before = row.at("before").get<Floats>();
    const auto b = static_cast<std::ptrdiff_t>(store.entries()[1].offset);
    std::copy_n(before.begin(), 5, store.gradients().begin());
    std::copy_n(before.begin() + 5, 3, store.gradients().begin() + b);
    EXPECT_NEAR(norm(store, store.gradients()), row.at("norm").get<double>(), 1e-6);

    const double factor = clip_factor(store, row.at("limit"));
    const auto after = row.at("after").get<Floats>();
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_NEAR(before[i] * factor, after[i], 1e-7) << i;
  }
}

TEST(Clipping, IsOffAtZeroAndDoesNothingBelowItsLimit) {
  Twins twins(Floats(8, 1.0F));
  twins.put(twins.store.gradients(), Floats(8, 100.0F));
  EXPECT_EQ(clip_factor(twins.store, 0), 1.0);
  EXPECT_EQ(clip_factor(twins.store, 1000), 1.0);  // the norm is 400
  EXPECT_LT(clip_factor(twins.store, 399), 1.0);
}

}  // namespace
}  // namespace lockstep::train
