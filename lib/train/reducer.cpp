#include "train/reducer.hpp"

#include <fmt/format.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include "core/log.hpp"
#include "train/flat.hpp"

namespace lockstep::train {

// Fires once a backward pass and weight, after its gradient has been accumulated (c10d's own
// reducer hangs on the accumulator instead, one object further away).
class Reducer::Hook final : public torch::autograd::PostAccumulateGradHook {
 public:
  Hook(Reducer& reducer, std::size_t weight) : reducer_(reducer), weight_(weight) {}
  void operator()(const at::Tensor& /*weight*/) override { reducer_.on_gradient(weight_); }

 private:
  Reducer& reducer_;
  std::size_t weight_;
};

Reducer::Reducer(model::ParameterStore& parameters, comm::Communicator& communicator,
                 std::size_t bucket_bytes, PhaseClock& clock)
    : parameters_(parameters), communicator_(communicator), clock_(clock) {
  const std::size_t first_gradient = parameters_.arena().size() - parameters_.gradients().size();
  std::vector<std::size_t> offsets;
  for (model::Entry& entry : parameters_.entries()) {
    if (entry.role != model::Role::weight) continue;
    torch::autograd::impl::set_post_acc_grad_hooks(entry.tensor,
                                                   std::make_unique<Hook>(*this, offsets.size()));
    offsets.push_back(first_gradient + entry.offset);
    names_.push_back(entry.name);
  }
  buckets_ = cut_buckets(offsets, parameters_.arena().size(), bucket_bytes / sizeof(float));
  bucket_of_ = bucket_of_weight(buckets_, offsets);
  missing_.resize(buckets_.size());
  pending_.reserve(buckets_.size());
}

Reducer::~Reducer() {
  for (model::Entry& entry : parameters_.entries()) {
    if (entry.role == model::Role::weight)
      torch::autograd::impl::set_post_acc_grad_hooks(entry.tensor, nullptr);
  }
}

void Reducer::arm() {
  is_armed_ = true;
  next_ = 0;
  arrived_.assign(names_.size(), false);
  for (std::size_t i = 0; i < buckets_.size(); ++i) missing_[i] = buckets_[i].weights;
}

void Reducer::on_gradient(std::size_t weight) {
  if (!is_armed_) return;  // an inner micro-batch: the gradient only grows
  arrived_[weight] = true;
  --missing_[bucket_of_[weight]];
  launch_ready();
}

void Reducer::launch_ready() {
  while (next_ < buckets_.size() && missing_[next_] == 0) {
    const auto timed = clock_.in(Phase::communication);
    const Bucket& bucket = buckets_[next_++];
    pending_.push_back(communicator_.all_reduce(
        view_of(parameters_.arena().subspan(bucket.begin, bucket.end - bucket.begin)),
        comm::ReduceOp::sum));
  }
}

void Reducer::finish() {
  const auto timed = clock_.in(Phase::communication);
  is_armed_ = false;
  if (next_ < buckets_.size()) warn_of_missing();
  missing_.assign(buckets_.size(), 0);
  launch_ready();
  for (comm::Pending& pending : pending_) pending.wait();
  pending_.clear();
  if (communicator_.size() > 1)
    scale(parameters_, parameters_.statistics(), 1.0F / static_cast<float>(communicator_.size()));
}

void Reducer::warn_of_missing() {
  if (has_warned_) return;
  has_warned_ = true;
  std::string list;
  for (std::size_t weight = 0; weight < names_.size(); ++weight) {
    if (!arrived_[weight]) list += (list.empty() ? "" : ", ") + names_[weight];
  }
  log::warn(
      "these weights got no gradient, so they count as zero (the loss does not depend on them): {}",
      list);
}

}  // namespace lockstep::train
