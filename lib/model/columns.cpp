#include "model/columns.hpp"

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "model/bfloat16.hpp"

namespace lockstep::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Picture {
  std::int64_t count;
  std::int64_t channels;
  std::int64_t height;
  std::int64_t width;
};

std::int64_t places(std::int64_t size, const Window& window) {
  return (size + 2 * window.padding - window.kernel) / window.stride + 1;
}

// Calls `visit(pixel, place)` for each pixel under each place of the window: offsets, in units of a
// pixel's channels, into the pictures and into the columns; -1 for a pixel outside.
template <typename Visit>
void for_each_tap(const Picture& picture, const Window& window, Visit&& visit) {
  const std::int64_t rows = places(picture.height, window);
  const std::int64_t across = places(picture.width, window);
  std::int64_t place = 0;
  for (std::int64_t n = 0; n < picture.count; ++n) {
    for (std::int64_t at = 0; at < rows * across; ++at) {
      const std::int64_t top = at / across * window.stride - window.padding;
      const std::int64_t left = at % across * window.stride - window.padding;
      for (std::int64_t tap = 0; tap < window.kernel * window.kernel; ++tap, ++place) {
        const std::int64_t y = top + tap / window.kernel;
        const std::int64_t x = left + tap % window.kernel;
        const bool is_inside = y >= 0 && y < picture.height && x >= 0 && x < picture.width;
        visit(is_inside ? (n * picture.height + y) * picture.width + x : -1, place);
      }
    }
  }
}

template <typename T>
void gather(const T* pixels, T* columns, const Picture& picture, const Window& window) {
  for_each_tap(picture, window, [&](std::int64_t pixel, std::int64_t place) {
    T* const to = columns + place * picture.channels;
    if (pixel < 0) {
      std::fill_n(to, picture.channels, T{});
    } else {
      std::copy_n(pixels + pixel * picture.channels, picture.channels, to);
    }
  });
}

// Sums in float whatever the elements are: one rounding, as in a convolution.
template <typename T>
void scatter(const T* columns, T* pixels, const Picture& picture, const Window& window) {
  const std::int64_t size = picture.count * picture.height * picture.width * picture.channels;
  std::vector<float> sums(static_cast<std::size_t>(size));
  for_each_tap(picture, window, [&](std::int64_t pixel, std::int64_t place) {
    if (pixel < 0) return;
    float* const to = sums.data() + pixel * picture.channels;
    const T* const from = columns + place * picture.channels;
    for (std::int64_t c = 0; c < picture.channels; ++c) to[c] += to_float(from[c]);
  });
  for (std::size_t i = 0; i < sums.size(); ++i) from_float(pixels[i], sums[i]);
}

template <typename T>
T* data(const at::Tensor& tensor) {
  return static_cast<T*>(tensor.mutable_data_ptr());
}

struct Columns : torch::autograd::Function<Columns> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, std::int64_t kernel,
                            std::int64_t stride, std::int64_t padding) {
    const Window window{kernel, stride, padding};
    const Picture picture{x.size(0), x.size(1), x.size(2), x.size(3)};
    context->saved_data["shape"] = x.sizes().vec();
    context->saved_data["window"] = std::vector<std::int64_t>{kernel, stride, padding};
    const std::int64_t rows =
        picture.count * places(picture.height, window) * places(picture.width, window);
    at::Tensor result = at::empty({rows, kernel * kernel * picture.channels}, x.options());
    if (x.scalar_type() == at::kFloat) {
      gather(data<float>(x), data<float>(result), picture, window);
    } else {
      gather(data<BFloat16>(x), data<BFloat16>(result), picture, window);
    }
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto shape = context->saved_data["shape"].toIntVector();
    const auto numbers = context->saved_data["window"].toIntVector();
    const Window window{numbers[0], numbers[1], numbers[2]};
    const Picture picture{shape[0], shape[1], shape[2], shape[3]};
    const at::Tensor from = gradients[0].contiguous();
    at::Tensor result = at::empty(shape, from.options(), at::MemoryFormat::ChannelsLast);
    if (from.scalar_type() == at::kFloat) {
      scatter(data<float>(from), data<float>(result), picture, window);
    } else {
      scatter(data<BFloat16>(from), data<BFloat16>(result), picture, window);
    }
    return {result, {}, {}, {}};
  }
};

}  // namespace

at::Tensor columns(const at::Tensor& x, const Window& window) {
  return Columns::apply(x, window.kernel, window.stride, window.padding);
}

}  // namespace lockstep::model
