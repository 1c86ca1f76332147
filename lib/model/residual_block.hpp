#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/layers.hpp"

namespace lockstep::model {

/// A 1x1 projection for where a block changes resolution or width; named downsample.0 and
/// downsample.1.
class Projection {
 public:
  Projection(ParameterStore& store, const std::string& name, std::int64_t in, std::int64_t out,
             std::int64_t stride)
      : convolution_(store, name + ".0", {.in = in, .out = out, .stride = stride}),
        norm_(store, name + ".1", out) {}
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x, const Pass& pass) const {
    return norm_(convolution_(x), pass);
  }

 private:
  Convolution convolution_;
  BatchNorm norm_;
};

/// Convolutions with batch norms around an identity: y = relu(f(x) + shortcut(x)).
class ResidualBlock {
 public:
  virtual ~ResidualBlock() = default;
  [[nodiscard]] virtual at::Tensor operator()(const at::Tensor& x, const Pass& pass) const = 0;
};

struct BlockShape {
  std::int64_t in = 64;
  std::int64_t width = 64;  ///< channels inside
  std::int64_t out = 64;
  std::int64_t stride = 1;
  std::int64_t groups = 1;
};

/// Two 3x3 convolutions; width == out.
[[nodiscard]] std::unique_ptr<ResidualBlock> make_basic_block(ParameterStore& store,
                                                              const std::string& name,
                                                              const BlockShape& shape);
/// 1x1, 3x3 (strided, grouped), 1x1.
[[nodiscard]] std::unique_ptr<ResidualBlock> make_bottleneck(ParameterStore& store,
                                                             const std::string& name,
                                                             const BlockShape& shape);

}  // namespace lockstep::model
