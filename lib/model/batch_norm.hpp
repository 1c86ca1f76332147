#pragma once

#include <ATen/core/Tensor.h>

#include "model/model.hpp"
#include "model/norm_kernels.hpp"

namespace lockstep::model {

/// The tensors of one batch norm, each with one element a channel.
struct NormTensors {
  const at::Tensor& weight;
  const at::Tensor& bias;
  const at::Tensor& running_mean;
  const at::Tensor& running_variance;
};

/// activation(norm(x) + shortcut), `shortcut` undefined: none. In training with the batch's own
/// moments, which go into the running ones; else with the running ones. On the CPU with the
/// channels innermost one fused operation, elsewhere LibTorch's own ones.
[[nodiscard]] at::Tensor batch_norm(const at::Tensor& x, const at::Tensor& shortcut,
                                    const NormTensors& tensors, kernels::Activation activation,
                                    Mode mode, double momentum, double epsilon);

}  // namespace lockstep::model
