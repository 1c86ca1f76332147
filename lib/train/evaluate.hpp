#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "data/dataset.hpp"
#include "data/loader.hpp"
#include "model/model.hpp"
#include "train/input.hpp"
#include "train/settings.hpp"

namespace lockstep::train {

struct Scores {
  std::int64_t samples = 0;
  double loss = 0;  ///< mean cross entropy, without label smoothing
  double top1 = 0;
  double top5 = 0;
};

struct EvaluateOptions {
  Precision precision = Precision::fp32;
  std::int64_t batch = 256;  ///< samples a rank holds at once
  data::LoaderOptions loader = {};
};

/// Each sample of `dataset` exactly once over all ranks, whatever their number. Collective.
[[nodiscard]] Scores evaluate(const model::Model& model, const data::Dataset& dataset,
                              const Input& input, comm::Communicator& communicator,
                              const EvaluateOptions& options);

}  // namespace lockstep::train
