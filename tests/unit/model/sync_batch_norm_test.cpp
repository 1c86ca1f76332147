#include "model/sync_batch_norm.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace lockstep::model {
namespace {

struct Norm {
  at::Tensor x;
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor mean = at::zeros({3});
  at::Tensor variance = at::ones({3});
};

// The same numbers twice, each with a graph of its own.
std::pair<Norm, Norm> twins(double offset) {
  const at::Tensor x = at::randn({4, 3, 5, 2}) * 2 + offset;
  const at::Tensor weight = at::rand({3}) + 0.5;
  const at::Tensor bias = at::randn({3});
  const auto leaf = [](const at::Tensor& value) { return value.clone().set_requires_grad(true); };
  return {{leaf(x), leaf(weight), leaf(bias)}, {leaf(x), leaf(weight), leaf(bias)}};
}

at::Tensor synced(const Norm& n, const SumOverRanks& sum) {
  return sync_batch_norm(n.x, n.weight, n.bias, n.mean, n.variance, 0.1, 1e-5, sum);
}

at::Tensor plain(const Norm& n) {
  return at::batch_norm(n.x, n.weight, n.bias, n.mean, n.variance, true, 0.1, 1e-5, false);
}

const SumOverRanks& alone() {
  static const SumOverRanks sum = [](float* /*floats*/, std::size_t /*count*/) {};
  return sum;
}

TEST(SyncBatchNorm, OfOneRankIsBatchNorm) {
  const auto [mine, theirs] = twins(0);
  const at::Tensor a = synced(mine, alone());
  const at::Tensor b = plain(theirs);
  const at::Tensor cotangent = at::randn_like(a);
  EXPECT_TRUE(a.allclose(b, 1e-4, 1e-5));
  (a * cotangent).sum().backward();
  (b * cotangent).sum().backward();
  EXPECT_TRUE(mine.x.grad().allclose(theirs.x.grad(), 1e-4, 1e-5));
  EXPECT_TRUE(mine.weight.grad().allclose(theirs.weight.grad(), 1e-4, 1e-4));
  EXPECT_TRUE(mine.bias.grad().allclose(theirs.bias.grad(), 1e-4, 1e-4));
  EXPECT_TRUE(mine.mean.allclose(theirs.mean, 1e-5, 1e-6));
  EXPECT_TRUE(mine.variance.allclose(theirs.variance, 1e-5, 1e-6));
}

TEST(SyncBatchNorm, KeepsItsDigitsWhereTheMeanIsLarge) {
  const auto [mine, theirs] = twins(3000);
  EXPECT_TRUE(synced(mine, alone()).allclose(plain(theirs), 1e-2, 1e-2));
  EXPECT_TRUE(mine.variance.allclose(theirs.variance, 1e-3, 1e-3));
}

// Two ranks with the same samples: sums double, and nothing else changes but the unbiased variance.
TEST(SyncBatchNorm, DividesByTheSamplesOfAllRanks) {
  const SumOverRanks doubled = [](float* floats, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) floats[i] *= 2;
  };
  const auto [mine, theirs] = twins(0);
  EXPECT_TRUE(synced(mine, doubled).allclose(plain(theirs), 1e-4, 1e-5));
  EXPECT_TRUE(mine.mean.allclose(theirs.mean, 1e-5, 1e-6));
  // 40 values here, 80 over both: var * 80 / 79 instead of var * 40 / 39.
  const at::Tensor biased = (theirs.variance - 0.9) / 0.1 * 39 / 40;
  EXPECT_TRUE(mine.variance.allclose(0.9 + 0.1 * biased * 80 / 79, 1e-5, 1e-5));
}

TEST(SyncBatchNorm, GivesBackTheTypeThatCameIn) {
  const auto [mine, theirs] = twins(0);
  const at::Tensor y = sync_batch_norm(mine.x.detach().to(at::kBFloat16), mine.weight, mine.bias,
                                       mine.mean, mine.variance, 0.1, 1e-5, alone());
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(y.to(at::kFloat).allclose(plain(theirs), 2e-2, 5e-2));
}

}  // namespace
}  // namespace lockstep::model
