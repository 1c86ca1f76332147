#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "model/parameter_store.hpp"

namespace lockstep::model {

enum class Mode { training, evaluation };

/// Sums `floats` (host or device memory) over all ranks, in place and blocking: how SyncBatchNorm
/// reaches the other ranks without this module knowing how they talk.
using SumOverRanks = std::function<void(float* floats, std::size_t count)>;

/// What a forward pass needs to know beside its input.
struct Pass {
  Mode mode = Mode::evaluation;
  const SumOverRanks* sum_over_ranks = nullptr;  ///< set: batch norms normalise over all ranks
};

/// A network: pictures N x C x H x W (float, normalised) in, logits N x classes out. Parameters are
/// named, ordered and shaped as in torchvision.
class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual at::Tensor forward(const at::Tensor& images, const Pass& pass) const = 0;

  [[nodiscard]] ParameterStore& parameters() noexcept { return parameters_; }
  [[nodiscard]] const ParameterStore& parameters() const noexcept { return parameters_; }

 private:
  ParameterStore parameters_;
};

}  // namespace lockstep::model
