#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "data/batch.hpp"
#include "train/loss.hpp"

namespace lockstep::train {

/// Batches as tensors on the model's device: pixels normalised to (x / 255 - mean) / std, N x C x H
/// x W, the channels innermost in memory.
class Input {
 public:
  /// Empty `mean` or `std`: 0.5 and 0.25 for each channel.
  Input(std::vector<double> mean, std::vector<double> std, std::int64_t channels, int device);

  /// Samples [first, first + count) of the batch.
  [[nodiscard]] at::Tensor images(const data::Batch& batch, std::int64_t first,
                                  std::int64_t count) const;
  [[nodiscard]] Labels labels(const data::Batch& batch, std::int64_t first,
                              std::int64_t count) const;

 private:
  at::Device device_;
  at::Tensor factor_;
  at::Tensor shift_;
};

}  // namespace lockstep::train
