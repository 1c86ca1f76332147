#include "train/loss.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/cross_entropy_loss.h>

namespace lockstep::train {
namespace {

constexpr std::int64_t kIgnoreNothing = -100;  // PyTorch's default

at::Tensor entropy(const at::Tensor& logits, const at::Tensor& labels, double smoothing,
                   std::int64_t reduction) {
  return at::cross_entropy_loss(logits, labels, {}, reduction, kIgnoreNothing, smoothing);
}

}  // namespace

at::Tensor cross_entropy(const at::Tensor& logits, const Labels& labels, double label_smoothing,
                         double divisor) {
  const at::Tensor real = logits.to(at::kFloat);
  if (!labels.weight.defined())
    return entropy(real, labels.first, label_smoothing, at::Reduction::Sum) / divisor;
  const at::Tensor first = entropy(real, labels.first, label_smoothing, at::Reduction::None);
  const at::Tensor other = entropy(real, labels.other, label_smoothing, at::Reduction::None);
  return (labels.weight * first + (1 - labels.weight) * other).sum() / divisor;
}

}  // namespace lockstep::train
