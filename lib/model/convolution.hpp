#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lockstep::model {

struct ConvolutionShape {
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t groups = 1;
};

/// A convolution without bias; x is N x in x H x W.
///
/// Note [Small maps]: oneDNN reorders a convolution's weights into blocks for the forward pass,
/// again for the gradient of the input, and its weight gradient back, each time through memory.
/// That is cheap where many output pixels share the weights; in the last stages of a network it
/// costs more than the arithmetic. There the convolution is one matrix product over rows of
/// pixels, in the weights' own layout: (out) x (kernel x kernel x in), which is what channels_last
/// means. Measured on ResNet-50 at 64 x 64, 16 pictures a rank: a fifth of the step. The choice
/// follows from the shapes alone, so it never changes the bits of a resumed run.
[[nodiscard]] at::Tensor convolution(const at::Tensor& x, const at::Tensor& weight,
                                     const ConvolutionShape& shape);

}  // namespace lockstep::model
