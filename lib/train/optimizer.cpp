#include "train/optimizer.hpp"

#include <algorithm>

#include "train/flat.hpp"

namespace lockstep::train {

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                          model::ParameterStore& store) {
  return settings.name == OptimizerName::sgd ? make_sgd(settings, store)
                                             : make_adam(settings, store);
}

double clip_factor(const model::ParameterStore& store, double clip_norm) {
  if (clip_norm == 0) return 1;
  return std::min(1.0, clip_norm / (norm(store, store.gradients()) + 1e-6));
}

}  // namespace lockstep::train
