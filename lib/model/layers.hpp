#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "model/model.hpp"

namespace lockstep::model {

/// Layers declare their tensors in a store when they are made and find them there by index
/// afterwards; they are values that a network keeps as members.

struct ConvolutionShape {
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t groups = 1;
};

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
/// variance is unbiased.
class BatchNorm {
 public:
  BatchNorm(ParameterStore& store, const std::string& name, std::int64_t channels);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x, const Pass& pass) const;

 private:
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
