#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep::train {

/// Labels of a batch as tensors on the model's device: two a sample and the first one's weight
/// (mixup).
struct Labels {
  at::Tensor first;   ///< int64, N
  at::Tensor other;   ///< int64, N
  at::Tensor weight;  ///< float, N; undefined: all 1
};

/// Cross entropy summed over the samples of `logits` (N x classes) and divided by `divisor`: with
/// the global batch as divisor, gradients of all ranks and micro-batches add up to the gradient of
/// the mean.
[[nodiscard]] at::Tensor cross_entropy(const at::Tensor& logits, const Labels& labels,
                                       double label_smoothing, double divisor);

}  // namespace lockstep::train
