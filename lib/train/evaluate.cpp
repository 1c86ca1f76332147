#include "train/evaluate.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <array>

#include "core/error.hpp"
#include "data/loader.hpp"
#include "train/autocast.hpp"
#include "train/loss.hpp"

namespace lockstep::train {
namespace {

enum Sum : std::size_t { kSamples, kLoss, kTop1, kTop5, kSums };
using Sums = std::array<double, kSums>;

void add(Sums& sums, const at::Tensor& logits, const Labels& labels) {
  const std::int64_t classes = logits.size(1);
  const at::Tensor best = std::get<1>(logits.topk(std::min<std::int64_t>(5, classes), 1));
  const at::Tensor hits = best.eq(labels.first.unsqueeze(1));
  sums[kSamples] += static_cast<double>(logits.size(0));
  sums[kLoss] += cross_entropy(logits, labels, 0, 1).item<double>();
  sums[kTop1] += hits.select(1, 0).sum().item<double>();
  sums[kTop5] += hits.sum().item<double>();
}

}  // namespace

Scores evaluate(const model::Model& model, const data::Dataset& dataset, const Input& input,
                comm::Communicator& communicator, const EvaluateOptions& options) {
  const c10::NoGradGuard no_grad;
  const data::EvaluationPlan plan(dataset.size(), options.batch, communicator.rank(),
                                  communicator.size());
  data::Loader loader(dataset, plan, {}, options.loader);
  Sums sums{};
  while (const data::Batch* batch = loader.next()) {
    const Autocast autocast(options.precision, model.parameters().device());
    const at::Tensor logits =
        model.forward(input.images(*batch, 0, batch->count), {.mode = model::Mode::evaluation});
    add(sums, logits.to(at::kFloat), input.labels(*batch, 0, batch->count));
  }
  communicator.all_reduce(view_of(std::span<double>(sums)), comm::ReduceOp::sum).wait();
  expect(static_cast<std::int64_t>(sums[kSamples]) == dataset.size(),
         "evaluation covers each sample exactly once");
  return {dataset.size(), sums[kLoss] / sums[kSamples], sums[kTop1] / sums[kSamples],
          sums[kTop5] / sums[kSamples]};
}

}  // namespace lockstep::train
