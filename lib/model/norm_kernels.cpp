#include "model/norm_kernels.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace lockstep::model::kernels {
namespace {

// Channels that are worked on together: their sums stay in the first-level cache.
constexpr std::size_t kBlock = 256;
// Rows whose sums are kept in float before they go into a double.
constexpr std::size_t kRowsInFloat = 64;

// Sums of two quantities over all rows, a block of channels at a time. `add` gets a row's place in
// memory, the number of channels and the two running sums.
template <typename Add>
[[gnu::always_inline]] inline void sum_rows(Shape shape, double* first, double* second, Add add) {
  for (std::size_t begin = 0; begin < shape.channels; begin += kBlock) {
    const std::size_t count = std::min(kBlock, shape.channels - begin);
    std::fill_n(first + begin, count, 0.0);
    std::fill_n(second + begin, count, 0.0);
    for (std::size_t row = 0; row < shape.rows; row += kRowsInFloat) {
      std::array<float, kBlock> a{};
      std::array<float, kBlock> b{};
      const std::size_t end = std::min(row + kRowsInFloat, shape.rows);
      for (std::size_t r = row; r < end; ++r) {
        add(r * shape.channels + begin, begin, count, a.data(), b.data());
      }
      for (std::size_t c = 0; c < count; ++c) {
        first[begin + c] += double{a[c]};
        second[begin + c] += double{b[c]};
      }
    }
  }
}

// Around the first row instead of around zero: a variance from plain squares loses all its digits
// where the mean is large.
template <typename T>
[[gnu::always_inline]] inline void moments_of(const T* x, Shape shape, float* mean,
                                              float* variance) {
  std::vector<double> sums(2 * shape.channels);
  double* const first = sums.data();
  double* const second = first + shape.channels;
  sum_rows(shape, first, second,
           [x](std::size_t at, std::size_t channel, std::size_t count, float* __restrict a,
               float* __restrict b) {
             for (std::size_t c = 0; c < count; ++c) {
               const float distance = to_float(x[at + c]) - to_float(x[channel + c]);
               a[c] += distance;
               b[c] += distance * distance;
             }
           });
  const auto rows = static_cast<double>(shape.rows);
  for (std::size_t c = 0; c < shape.channels; ++c) {
    const double shift = first[c] / rows;
    mean[c] = static_cast<float>(double{to_float(x[c])} + shift);
    variance[c] = static_cast<float>(std::max(0.0, second[c] / rows - shift * shift));
  }
}

template <typename T, bool kShortcut, bool kRelu>
[[gnu::always_inline]] inline void normalise_rows(const T* x, const T* shortcut, T* __restrict y,
                                                  Shape shape, const float* __restrict scale,
                                                  const float* __restrict offset) {
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const std::size_t at = row * shape.channels;
    for (std::size_t c = 0; c < shape.channels; ++c) {
      float value = to_float(x[at + c]) * scale[c] + offset[c];
      if constexpr (kShortcut) value += to_float(shortcut[at + c]);
      if constexpr (kRelu) value = value < 0 ? 0 : value;  // a NaN passes, as in LibTorch
      from_float(y[at + c], value);
    }
  }
}

template <typename T>
[[gnu::always_inline]] inline void normalise_any(const T* x, const T* shortcut, T* y, Shape shape,
                                                 Affine affine) {
  const bool relu = affine.activation == Activation::relu;
  if (shortcut != nullptr) {
    relu ? normalise_rows<T, true, true>(x, shortcut, y, shape, affine.scale, affine.offset)
         : normalise_rows<T, true, false>(x, shortcut, y, shape, affine.scale, affine.offset);
  } else {
    relu ? normalise_rows<T, false, true>(x, shortcut, y, shape, affine.scale, affine.offset)
         : normalise_rows<T, false, false>(x, shortcut, y, shape, affine.scale, affine.offset);
  }
}

template <typename T, bool kMask, bool kKeep>
[[gnu::always_inline]] inline void sums_of_gradient(const T* x, const T* y, const T* dy, T* masked,
                                                    Shape shape, const float* mean,
                                                    GradientSums sums) {
  std::vector<double> totals(2 * shape.channels);
  double* const first = totals.data();
  double* const second = first + shape.channels;
  sum_rows(shape, first, second,
           [=](std::size_t at, std::size_t channel, std::size_t count, float* __restrict a,
               float* __restrict b) {
             T* const __restrict kept = kKeep ? masked + at : nullptr;
             for (std::size_t c = 0; c < count; ++c) {
               float gradient = to_float(dy[at + c]);
               if constexpr (kMask) gradient = to_float(y[at + c]) > 0 ? gradient : 0;
               if constexpr (kKeep) from_float(kept[c], gradient);
               a[c] += gradient;
               b[c] += gradient * (to_float(x[at + c]) - mean[channel + c]);
             }
           });
  std::transform(first, first + shape.channels, sums.of_gradient,
                 [](double total) { return static_cast<float>(total); });
  std::transform(second, second + shape.channels, sums.of_product,
                 [](double total) { return static_cast<float>(total); });
}

template <typename T>
[[gnu::always_inline]] inline void sums_any(const T* x, const T* y, const T* dy, T* masked,
                                            Shape shape, const float* mean, GradientSums sums) {
  if (y == nullptr) {
    sums_of_gradient<T, false, false>(x, y, dy, masked, shape, mean, sums);
  } else if (masked == nullptr) {
    sums_of_gradient<T, true, false>(x, y, dy, masked, shape, mean, sums);
  } else {
    sums_of_gradient<T, true, true>(x, y, dy, masked, shape, mean, sums);
  }
}

template <typename T, bool kMask>
[[gnu::always_inline]] inline void gradient_rows(const T* x, const T* y, const T* dy,
                                                 T* __restrict dx, Shape shape,
                                                 InputGradient coefficients) {
  const float* __restrict mean = coefficients.mean;
  const float* __restrict by_gradient = coefficients.by_gradient;
  const float* __restrict by_distance = coefficients.by_distance;
  const float* __restrict constant = coefficients.constant;
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const std::size_t at = row * shape.channels;
    for (std::size_t c = 0; c < shape.channels; ++c) {
      float gradient = to_float(dy[at + c]);
      if constexpr (kMask) gradient = to_float(y[at + c]) > 0 ? gradient : 0;
      const float distance = to_float(x[at + c]) - mean[c];
      from_float(dx[at + c], gradient * by_gradient[c] + distance * by_distance[c] + constant[c]);
    }
  }
}

template <typename T>
[[gnu::always_inline]] inline void gradient_any(const T* x, const T* y, const T* dy, T* dx,
                                                Shape shape, InputGradient coefficients) {
  y == nullptr ? gradient_rows<T, false>(x, y, dy, dx, shape, coefficients)
               : gradient_rows<T, true>(x, y, dy, dx, shape, coefficients);
}

}  // namespace

// Each is compiled three times; the loader takes what the processor can do.

[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void moments(
    const float* x, Shape shape, float* mean, float* variance) {
  moments_of(x, shape, mean, variance);
}
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void moments(
    const BFloat16* x, Shape shape, float* mean, float* variance) {
  moments_of(x, shape, mean, variance);
}

[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void normalise(
    const float* x, const float* shortcut, float* y, Shape shape, Affine affine) {
  normalise_any(x, shortcut, y, shape, affine);
}
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void normalise(
    const BFloat16* x, const BFloat16* shortcut, BFloat16* y, Shape shape, Affine affine) {
  normalise_any(x, shortcut, y, shape, affine);
}

[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void gradient_sums(
    const float* x, const float* y, const float* dy, float* masked, Shape shape, const float* mean,
    GradientSums sums) {
  sums_any(x, y, dy, masked, shape, mean, sums);
}
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void gradient_sums(
    const BFloat16* x, const BFloat16* y, const BFloat16* dy, BFloat16* masked, Shape shape,
    const float* mean, GradientSums sums) {
  sums_any(x, y, dy, masked, shape, mean, sums);
}

[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void input_gradient(
    const float* x, const float* y, const float* dy, float* dx, Shape shape,
    InputGradient coefficients) {
  gradient_any(x, y, dy, dx, shape, coefficients);
}
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] void input_gradient(
    const BFloat16* x, const BFloat16* y, const BFloat16* dy, BFloat16* dx, Shape shape,
    InputGradient coefficients) {
  gradient_any(x, y, dy, dx, shape, coefficients);
}

}  // namespace lockstep::model::kernels
