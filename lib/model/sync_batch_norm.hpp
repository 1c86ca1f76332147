#pragma once

#include <ATen/core/Tensor.h>

#include "model/model.hpp"

namespace lockstep::model {

/// Batch normalisation over the samples of all ranks: mean and variance come from sums over ranks,
/// and so do their gradients. Every rank must call it in the same order. x is N x C x H x W; N may
/// differ from rank to rank.
[[nodiscard]] at::Tensor sync_batch_norm(const at::Tensor& x, const at::Tensor& weight,
                                         const at::Tensor& bias, const at::Tensor& running_mean,
                                         const at::Tensor& running_variance, double momentum,
                                         double epsilon, const SumOverRanks& sum_over_ranks);

}  // namespace lockstep::model
