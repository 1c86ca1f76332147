#pragma once

#include <memory>

#include "checkpoint/saveable.hpp"
#include "model/parameter_store.hpp"
#include "train/settings.hpp"

namespace lockstep::train {

/// Turns gradients into new weights: one pass over the flat arrays, which also leaves the gradients
/// zero for the next step. Weight decay goes to the entries that ask for it.
class Optimizer : public checkpoint::Saveable {
 public:
  /// `rate` is the learning rate, `gradient_scale` multiplies each gradient first (clipping). False
  /// if a gradient was not finite: the weights are spoilt then, on every rank alike, and must not
  /// be saved.
  [[nodiscard]] virtual bool step(double rate, double gradient_scale) = 0;

  [[nodiscard]] std::string_view name() const noexcept override { return "optimizer"; }
};

[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                                        model::ParameterStore& store);

/// Stochastic gradient descent with momentum (Sutskever et al., 2013), in PyTorch's form.
[[nodiscard]] std::unique_ptr<Optimizer> make_sgd(const OptimizerSettings& settings,
                                                  model::ParameterStore& store);
/// Adam (Kingma and Ba, 2014), or AdamW with decoupled decay (Loshchilov and Hutter, 2017).
[[nodiscard]] std::unique_ptr<Optimizer> make_adam(const OptimizerSettings& settings,
                                                   model::ParameterStore& store);

/// What to multiply the gradients by so that their global norm is at most `clip_norm` (0: off), as
/// torch.nn.utils.clip_grad_norm_ does.
[[nodiscard]] double clip_factor(const model::ParameterStore& store, double clip_norm);

}  // namespace lockstep::train
