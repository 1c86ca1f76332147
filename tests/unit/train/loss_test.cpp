#include "train/loss.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "support/reference.hpp"
#include "support/tiny_net.hpp"
#include "train/autocast.hpp"

namespace lockstep::train {
namespace {

constexpr double kFloat = 5e-7;  // a few roundings of numbers near 1

at::Tensor tensor_of(std::vector<float> values, at::IntArrayRef shape) {
  return at::from_blob(values.data(), shape, at::TensorOptions().dtype(at::kFloat)).clone();
}
at::Tensor tensor_of(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return at::from_blob(values.data(), {count}, at::TensorOptions().dtype(at::kLong)).clone();
}

TEST(CrossEntropy, FollowsPyTorchsLabelSmoothing) {
  const auto reference = tests::reference("optimizers.json");
  for (const auto& row : reference.at("label_smoothing")) {
    const at::Tensor logits =
        tensor_of(row.at("logits").get<std::vector<float>>(), {4, 5}).set_requires_grad(true);
    const Labels labels{tensor_of(row.at("labels").get<std::vector<std::int64_t>>()), {}, {}};
    const at::Tensor loss = cross_entropy(logits, labels, row.at("smoothing"), 4);
    EXPECT_NEAR(loss.item<double>(), row.at("loss").get<double>(), kFloat);
    loss.backward();
    const at::Tensor expected = tensor_of(row.at("gradient").get<std::vector<float>>(), {4, 5});
    EXPECT_LT((logits.grad() - expected).abs().max().item<double>(), kFloat);
  }
}

TEST(CrossEntropy, AddsUpOverPartsOfABatch) {
  const at::Tensor logits = at::randn({6, 5});
  const at::Tensor labels = tensor_of(std::vector<std::int64_t>{0, 1, 2, 3, 4, 0});
  double parts = 0;
  for (const auto& [first, count] : {std::pair{0, 1}, {1, 3}, {4, 2}}) {
    parts += cross_entropy(logits.narrow(0, first, count), {labels.narrow(0, first, count), {}, {}},
                           0.1, 6)
                 .item<double>();
  }
  EXPECT_NEAR(cross_entropy(logits, {labels, {}, {}}, 0.1, 6).item<double>(), parts, kFloat * 4);
}

struct Mixed {
  at::Tensor logits = at::randn({4, 5});
  at::Tensor first = tensor_of(std::vector<std::int64_t>{0, 3, 4, 3});
  at::Tensor other = tensor_of(std::vector<std::int64_t>{1, 3, 0, 2});

  [[nodiscard]] double plain(const at::Tensor& labels) const {
    return cross_entropy(logits, {labels, {}, {}}, 0.1, 4).item<double>();
  }
  [[nodiscard]] double mixed(const at::Tensor& weight) const {
    return cross_entropy(logits, {first, other, weight}, 0.1, 4).item<double>();
  }
};

TEST(Mixup, WithWeightOneIsPlain) {
  const Mixed m;
  EXPECT_NEAR(m.mixed(at::full({4}, 1.0)), m.plain(m.first), kFloat * 2);
  EXPECT_NEAR(m.mixed(at::full({4}, 0.0)), m.plain(m.other), kFloat * 2);
}

TEST(Mixup, WithAnotherWeightIsTheWeightedSumOfBothLosses) {
  const Mixed m;
  EXPECT_NEAR(m.mixed(at::full({4}, 0.3)), 0.3 * m.plain(m.first) + 0.7 * m.plain(m.other),
              kFloat * 4);
}

TEST(Mixup, HasAWeightOfItsOwnForEachSample) {
  const Mixed m;
  const at::Tensor weight = tensor_of(std::vector<float>{1, 0, 1, 0}, {4});
  const at::Tensor picked = tensor_of(std::vector<std::int64_t>{0, 3, 4, 2});
  EXPECT_NEAR(m.mixed(weight), m.plain(picked), kFloat * 2);
}

TEST(Autocast, RunsConvolutionsInBf16AndTheLossInFp32) {
  tests::TinyNet net;
  net.parameters().allocate({});
  const at::Tensor images = at::randn({2, 3, 4, 4});
  const auto type = [&](Precision precision) {
    const Autocast autocast(precision, -1);
    return net.forward(images, {.mode = model::Mode::training});
  };
  EXPECT_EQ(type(Precision::fp32).scalar_type(), at::kFloat);
  const at::Tensor logits = type(Precision::bf16);
  EXPECT_EQ(logits.scalar_type(), at::kBFloat16);
  const Labels labels{tensor_of(std::vector<std::int64_t>{0, 1}), {}, {}};
  EXPECT_EQ(cross_entropy(logits, labels, 0, 2).scalar_type(), at::kFloat);
  // Nothing of it is left behind.
  EXPECT_EQ(net.forward(images, {}).scalar_type(), at::kFloat);
}

// Autocast keeps casted copies of weights. The optimizer changes weights behind LibTorch's back, so
// a copy that outlived its step would be taken for the new weights.
TEST(Autocast, SeesWeightsThatChangedBetweenTwoForwardPasses) {
  tests::TinyNet net;
  net.parameters().allocate({});
  const at::Tensor images = at::randn({2, 3, 4, 4});
  const auto logits = [&] {
    const Autocast autocast(Precision::bf16, -1);
    return net.forward(images, {.mode = model::Mode::training}).detach().clone();
  };
  const at::Tensor before = logits();
  EXPECT_TRUE(before.equal(logits()));
  for (float& weight : net.parameters().weights()) weight *= 2;
  const at::Tensor after = logits();
  EXPECT_TRUE(after.ne(before).any().item<bool>());
  // relu is homogeneous: twice the weights in both layers are four times the logits, but for the
  // bias, which doubles. Powers of two are exact in bf16, so are these up to the last rounding.
  const at::Tensor bias = net.parameters().entries().back().tensor.detach();
  const at::Tensor expected = 4 * (before.to(at::kFloat) - bias / 2) + bias;
  EXPECT_TRUE(after.to(at::kFloat).allclose(expected, 0.05, 0.05));
}

}  // namespace
}  // namespace lockstep::train
