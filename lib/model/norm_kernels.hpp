#pragma once

#include <cstddef>

#include "model/bfloat16.hpp"

/// Loops of batch normalisation over pictures with the channels innermost: a matrix of `rows`
/// (pictures x height x width) by `channels`. Bound by memory, so each loop does all that can be
/// done while a row is at hand: normalise, add the shortcut and cut off at zero in one pass. The
/// same bits on every processor: lanes are channels, and products are never fused with sums.
namespace lockstep::model::kernels {

struct Shape {
  std::size_t rows;
  std::size_t channels;
};

enum class Activation { none, relu };

/// Mean and biased variance of each channel.
void moments(const float* x, Shape shape, float* mean, float* variance);
void moments(const BFloat16* x, Shape shape, float* mean, float* variance);

/// y = activation(x * scale + offset + shortcut); `shortcut` may be null. scale and offset: one a
/// channel.
struct Affine {
  const float* scale;
  const float* offset;
  Activation activation;
};
void normalise(const float* x, const float* shortcut, float* y, Shape shape, Affine affine);
void normalise(const BFloat16* x, const BFloat16* shortcut, BFloat16* y, Shape shape,
               Affine affine);

/// g = dy where y > 0 (all of it if y is null), left in `masked` if that is not null; then the sums
/// over rows of g and of g * (x - mean).
struct GradientSums {
  float* of_gradient;
  float* of_product;
};
void gradient_sums(const float* x, const float* y, const float* dy, float* masked, Shape shape,
                   const float* mean, GradientSums sums);
void gradient_sums(const BFloat16* x, const BFloat16* y, const BFloat16* dy, BFloat16* masked,
                   Shape shape, const float* mean, GradientSums sums);

/// dx = g * by_gradient + (x - mean) * by_distance + constant, with g as above; one of each a
/// channel.
struct InputGradient {
  const float* mean;
  const float* by_gradient;
  const float* by_distance;
  const float* constant;
};
void input_gradient(const float* x, const float* y, const float* dy, float* dx, Shape shape,
                    InputGradient coefficients);
void input_gradient(const BFloat16* x, const BFloat16* y, const BFloat16* dy, BFloat16* dx,
                    Shape shape, InputGradient coefficients);

}  // namespace lockstep::model::kernels
