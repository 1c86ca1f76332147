#include "model/sync_batch_norm.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

namespace lockstep::model {
namespace {

at::Tensor summed(const at::Tensor& mine, const SumOverRanks& sum_over_ranks) {
  at::Tensor total = mine.detach().clone(at::MemoryFormat::Contiguous);
  sum_over_ranks(total.data_ptr<float>(), static_cast<std::size_t>(total.numel()));
  return total;
}

// A sum over ranks whose gradient is the sum over ranks of the gradients: each rank's part went
// into everyone's total.
struct SumFunction : torch::autograd::Function<SumFunction> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& mine,
                            const SumOverRanks* sum) {
    context->saved_data["sum"] = reinterpret_cast<std::int64_t>(sum);
    return summed(mine, *sum);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto* sum = reinterpret_cast<const SumOverRanks*>(context->saved_data["sum"].toInt());
    return {summed(gradients[0], *sum), at::Tensor()};
  }
};

at::Tensor per_channel(const at::Tensor& values) { return values.view({1, -1, 1, 1}); }

}  // namespace

at::Tensor sync_batch_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                           const at::Tensor& running_mean, const at::Tensor& running_variance,
                           double momentum, double epsilon, const SumOverRanks& sum_over_ranks) {
  const at::Tensor input = x.to(at::kFloat);
  const at::Tensor mine =
      at::full({1}, static_cast<double>(input.numel() / input.size(1)), input.options());
  const at::Tensor totals =
      SumFunction::apply(at::cat({input.sum({0, 2, 3}), mine}), &sum_over_ranks);
  const double count = totals[-1].item<double>();
  const at::Tensor mean = totals.slice(0, 0, -1) / count;
  // Two passes: a variance from the sum of squares loses all digits where the mean is large.
  const at::Tensor centred = input - per_channel(mean);
  const at::Tensor variance =
      SumFunction::apply(centred.square().sum({0, 2, 3}), &sum_over_ranks) / count;
  {
    const c10::NoGradGuard no_grad;
    running_mean.mul_(1 - momentum).add_(mean, momentum);
    running_variance.mul_(1 - momentum).add_(variance, momentum * count / (count - 1));
  }
  const at::Tensor scale = weight * (variance + epsilon).rsqrt();
  return (centred * per_channel(scale) + per_channel(bias)).to(x.scalar_type());
}

}  // namespace lockstep::model
