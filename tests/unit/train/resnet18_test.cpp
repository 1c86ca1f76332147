// ResNet-18's first step beside PyTorch's, from the same weights, pictures and labels.
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/networks.hpp"
#include "support/reference.hpp"
#include "train/loss.hpp"
#include "train/optimizer.hpp"

namespace lockstep::train {
namespace {

using nlohmann::json;

// The table says of each gradient how far PyTorch's own float lies from double (`error`: L2
// distance over the norm, up to 5e-6). Our roundings fall elsewhere, so we may be off by as much in
// another direction; a factor of ten leaves room for other kernels and processors, while a wrong
// epsilon, stride or divisor is off by 1e-3 and more.
constexpr double kRoom = 10;

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().contiguous().flatten();
  std::vector<double> result;
  for (std::int64_t i = 0; i < flat.numel(); ++i)
    result.push_back(static_cast<double>(flat.data_ptr<float>()[i]));
  return result;
}

double norm_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

double bound_of(const model::Entry& entry) {
  const auto& shape = entry.shape;
  if (shape.size() == 4)
    return std::sqrt(6.0 / static_cast<double>(shape[1] * shape[2] * shape[3]));
  return 1 / std::sqrt(static_cast<double>(shape[1]));
}

void set_closed_form(model::Model& model) {
  const c10::NoGradGuard no_grad;
  std::uint32_t stream = 0;
  for (const model::Entry& entry : model.parameters().entries()) {
    if (entry.role != model::Role::weight) continue;
    if (entry.shape.size() > 1) {
      std::vector<float> values = tests::closed_form(stream, entry.count, bound_of(entry));
      entry.tensor.copy_(at::from_blob(values.data(), entry.shape, at::kFloat));
    } else {
      entry.tensor.fill_(entry.name.ends_with("bias") ? 0 : 1);
    }
    ++stream;
  }
}

class ResNet18 : public testing::TestWithParam<bool> {
 protected:
  ResNet18() {
    model_->parameters().allocate({.channels_last = GetParam()});
    set_closed_form(*model_);
    const json& labels = settings_.at("labels");
    for (std::uint32_t n = 0; n < labels.size(); ++n) {
      labels_.push_back(tests::closed_hash(1001, n) % 10);
      EXPECT_EQ(labels_.back(), labels.at(n).get<std::int64_t>());
    }
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(static_cast<double>(pixels_[i]), settings_.at("first_images").at(i).get<double>());
  }

  double forward_backward() {
    at::Tensor images = at::from_blob(pixels_.data(), {8, 3, 64, 64}, at::kFloat);
    if (GetParam()) images = images.contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor logits = model_->forward(images, {.mode = model::Mode::training});
    const at::Tensor loss =
        cross_entropy(logits, {at::from_blob(labels_.data(), {8}, at::kLong), {}, {}}, 0, 8);
    loss.backward();
    return loss.item<double>();
  }

  void expect_gradient(const model::Entry& entry) const {
    const json& row = table_.at(entry.name);
    const std::vector<double> mine = numbers(entry.tensor.grad());
    const double norm = row.at("norm");
    const double error = kRoom * std::max(row.at("error").get<double>(), 1e-7) * norm;
    const double root = std::sqrt(static_cast<double>(mine.size()));
    EXPECT_NEAR(norm_of(mine), norm, error) << entry.name;
    EXPECT_NEAR(sum_of(mine), row.at("sum").get<double>(), error * root) << entry.name;
    // An element's part of the error: as much as any other's, give or take.
    for (std::size_t i = 0; i < row.at("first").size(); ++i)
      EXPECT_NEAR(mine[i], row.at("first").at(i).get<double>(), kRoom * error / root)
          << entry.name << ", element " << i;
  }

  json table_ = tests::reference("resnet18_step.json");
  json settings_ = table_.at("settings");
  std::unique_ptr<model::Model> model_ = tests::network("resnet18", {.channels = 3, .classes = 10});
  std::vector<float> pixels_ =
      tests::closed_form(1000, std::size_t{8} * 3 * 64 * 64, std::sqrt(3.0));
  std::vector<std::int64_t> labels_;
};

TEST_P(ResNet18, BeginsWithTheWeightsOfTheTable) {
  for (const model::Entry& entry : model_->parameters().entries()) {
    if (entry.role != model::Role::weight) continue;
    const json& first = table_.at(entry.name).at("first_weights");
    const std::vector<double> mine = numbers(entry.tensor);
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_EQ(mine[i], first.at(i).get<double>()) << entry.name;
  }
}

TEST_P(ResNet18, HasPyTorchsLossesGradientsAndRunningStatistics) {
  const auto optimizer = make_optimizer(
      {.momentum = settings_.at("momentum"), .weight_decay = settings_.at("weight_decay")},
      model_->parameters());
  const json& losses = table_.at("losses_in_double");
  EXPECT_NEAR(forward_backward(), losses.at(0).get<double>(), 5e-6);
  for (const model::Entry& entry : model_->parameters().entries()) {
    if (entry.role == model::Role::weight) expect_gradient(entry);
    if (entry.role != model::Role::statistic) continue;
    const json& row = table_.at(entry.name);
    const std::vector<double> mine = numbers(entry.tensor);
    const double norm = row.at("norm");
    EXPECT_NEAR(norm_of(mine), norm, 1e-5 * norm) << entry.name;
    for (std::size_t i = 0; i < row.at("first").size(); ++i)
      EXPECT_NEAR(mine[i], row.at("first").at(i).get<double>(), 1e-5) << entry.name;
  }
  EXPECT_TRUE(optimizer->step(settings_.at("learning_rate"), 1));
  EXPECT_NEAR(forward_backward(), losses.at(1).get<double>(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Layouts, ResNet18, testing::Values(true, false), [](const auto& one) {
  return one.param ? "ChannelsLast" : "ChannelsFirst";
});

}  // namespace
}  // namespace lockstep::train
