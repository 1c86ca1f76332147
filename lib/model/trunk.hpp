#pragma once

#include <ATen/ops/adaptive_avg_pool2d.h>

#include <memory>
#include <utility>
#include <vector>

#include "model/residual_block.hpp"

namespace lockstep::model {

/// What every residual network has behind its stem: blocks one after the other, the mean over all
/// pixels, and the classifier.
class Trunk {
 public:
  using Blocks = std::vector<std::unique_ptr<ResidualBlock>>;

  Trunk(Blocks blocks, const Linear& head) : blocks_(std::move(blocks)), head_(head) {}

  [[nodiscard]] at::Tensor operator()(at::Tensor x, const Pass& pass) const {
    for (const auto& block : blocks_) x = (*block)(x, pass);
    return head_(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  Blocks blocks_;
  Linear head_;
};

}  // namespace lockstep::model
