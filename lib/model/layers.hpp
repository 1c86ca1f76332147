#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "model/convolution.hpp"
#include "model/model.hpp"
#include "model/norm_kernels.hpp"

namespace lockstep::model {

/// Layers declare their tensors in a store when they are made and find them there by index
/// afterwards; they are values that a network keeps as members.

/// Without bias, as everywhere before a batch norm. He initialisation, fan out (torchvision's
/// ResNets).
class Convolution {
 public:
  Convolution(ParameterStore& store, const std::string& name, const ConvolutionShape& shape);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;

 private:
  const ParameterStore* store_;
  ConvolutionShape shape_;
  std::size_t weight_;
};

/// Batch normalisation (Ioffe and Szegedy, 2015) with momentum 0.1 and epsilon 1e-5; the running
/// variance is unbiased. What follows a norm in a residual network is done in the same pass over
/// memory.
class BatchNorm {
 public:
  BatchNorm(ParameterStore& store, const std::string& name, std::int64_t channels);

  [[nodiscard]] at::Tensor operator()(const at::Tensor& x, const Pass& pass) const {
    return apply(x, {}, kernels::Activation::none, pass);
  }
  [[nodiscard]] at::Tensor relu(const at::Tensor& x, const Pass& pass) const {
    return apply(x, {}, kernels::Activation::relu, pass);
  }
  /// relu(norm(x) + shortcut)
  [[nodiscard]] at::Tensor add_relu(const at::Tensor& x, const at::Tensor& shortcut,
                                    const Pass& pass) const {
    return apply(x, shortcut, kernels::Activation::relu, pass);
  }

 private:
  [[nodiscard]] at::Tensor apply(const at::Tensor& x, const at::Tensor& shortcut,
                                 kernels::Activation activation, const Pass& pass) const;

  const ParameterStore* store_;
  std::size_t weight_;
  std::size_t bias_;
  std::size_t mean_;
  std::size_t variance_;
};

class Linear {
 public:
  Linear(ParameterStore& store, const std::string& name, std::int64_t in, std::int64_t out);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;

 private:
  const ParameterStore* store_;
  std::size_t weight_;
  std::size_t bias_;
};

}  // namespace lockstep::model
