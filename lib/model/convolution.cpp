#include "model/convolution.hpp"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>

#include "model/columns.hpp"

namespace lockstep::model {
namespace {

// Output pixels (over the batch) up to which the product wins; measured on one core. A larger
// kernel pays for its columns.
constexpr std::int64_t kMostRows1x1 = 256;
constexpr std::int64_t kMostRows = 128;

std::int64_t output_size(std::int64_t size, const ConvolutionShape& shape) {
  return (size + 2 * shape.padding - shape.kernel) / shape.stride + 1;
}

bool is_product_better(const at::Tensor& x, const at::Tensor& weight,
                       const ConvolutionShape& shape) {
  const std::int64_t rows =
      x.size(0) * output_size(x.size(2), shape) * output_size(x.size(3), shape);
  return x.device().is_cpu() && shape.groups == 1 &&
         x.is_contiguous(at::MemoryFormat::ChannelsLast) &&
         weight.is_contiguous(at::MemoryFormat::ChannelsLast) &&
         (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16) &&
         rows <= (shape.kernel == 1 ? kMostRows1x1 : kMostRows);
}

at::Tensor as_product(const at::Tensor& x, const at::Tensor& weight,
                      const ConvolutionShape& shape) {
  const Window window{shape.kernel, shape.stride, shape.padding};
  const bool is_pixelwise = shape.kernel == 1 && shape.stride == 1 && shape.padding == 0;
  const at::Tensor rows =
      is_pixelwise ? x.permute({0, 2, 3, 1}).reshape({-1, shape.in}) : columns(x, window);
  const at::Tensor matrix = weight.permute({0, 2, 3, 1}).reshape({shape.out, -1});
  return at::linear(rows, matrix)
      .view({x.size(0), output_size(x.size(2), shape), output_size(x.size(3), shape), shape.out})
      .permute({0, 3, 1, 2});
}

}  // namespace

at::Tensor convolution(const at::Tensor& x, const at::Tensor& weight,
                       const ConvolutionShape& shape) {
  if (is_product_better(x, weight, shape)) return as_product(x, weight, shape);
  return at::conv2d(x, weight, {}, {shape.stride, shape.stride}, {shape.padding, shape.padding},
                    {1, 1}, shape.groups);
}

}  // namespace lockstep::model
