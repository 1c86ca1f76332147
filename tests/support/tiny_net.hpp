#pragma once

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/relu.h>

#include <functional>
#include <optional>
#include <utility>

#include "model/layers.hpp"
#include "model/model.hpp"

namespace lockstep::tests {

/// A convolution and a linear layer: small enough for many steps, and without batch norm its
/// gradients add up over any split of a batch.
class TinyNet final : public model::Model {
 public:
  struct Options {
    std::int64_t channels = 3;
    std::int64_t classes = 5;
    bool has_norm = false;          ///< a batch norm behind the convolution
    double dropout = 0;             ///< draws from LibTorch's default generator
    bool has_unused_layer = false;  ///< "spare" gets no gradient
    /// Called with the logits of each training pass, for tests that spoil them.
    std::function<at::Tensor(const at::Tensor&)> spoil = {};
  };

  TinyNet() : TinyNet(Options{}) {}
  explicit TinyNet(Options options)
      : options_(std::move(options)),
        convolution_(parameters(), "conv",
                     {.in = options_.channels, .out = 7, .kernel = 3, .padding = 1}) {
    if (options_.has_norm) norm_.emplace(parameters(), "bn", 7);
    if (options_.has_unused_layer) spare_.emplace(parameters(), "spare", 3, 2);
    head_.emplace(parameters(), "fc", 7, options_.classes);
  }

  [[nodiscard]] at::Tensor forward(const at::Tensor& images,
                                   const model::Pass& pass) const override {
    const bool is_training = pass.mode == model::Mode::training;
    at::Tensor x = convolution_(images);
    if (norm_) x = (*norm_)(x, pass);
    x = at::relu(x);
    x = at::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
    if (options_.dropout > 0) x = at::dropout(x, options_.dropout, is_training);
    const at::Tensor logits = (*head_)(x);
    return is_training && options_.spoil ? options_.spoil(logits) : logits;
  }

 private:
  Options options_;
  model::Convolution convolution_;
  std::optional<model::BatchNorm> norm_;
  std::optional<model::Linear> spare_;
  std::optional<model::Linear> head_;
};

}  // namespace lockstep::tests
