#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lockstep::model {

/// A square window that moves over a picture.
struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};

/// For each place of the window the pixels under it, a row each: N x C x H x W (float or bfloat16,
/// channels innermost) becomes (N x H' x W') x (kernel x kernel x C), zeros outside of the picture.
/// Differentiable.
[[nodiscard]] at::Tensor columns(const at::Tensor& x, const Window& window);

}  // namespace lockstep::model
