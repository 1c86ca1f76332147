#include "data/plan.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"

namespace lockstep::data {

TrainingPlan::TrainingPlan(Order order, int rank, int size)
    : order_(order), rank_(rank), size_(size) {
  require_usable(order_, size_);
}

std::vector<std::int64_t> TrainingPlan::ids(std::int64_t index) const {
  return data::ids(order_, index, rank_, size_);
}

std::int64_t TrainingPlan::largest_batch() const {
  const Share share = share_of(order_.global_batch, rank_, size_);
  return share.end - share.begin;
}

EvaluationPlan::EvaluationPlan(std::int64_t dataset_size, std::int64_t batch, int rank, int size)
    : share_(share_of(dataset_size, rank, size)), batch_(batch) {
  expect(batch >= 1, "an evaluation batch holds at least one sample");
}

std::vector<std::int64_t> EvaluationPlan::ids(std::int64_t index) const {
  expect(index >= 0, "a batch is counted from 0");
  const std::int64_t begin = std::min(share_.begin + index * batch_, share_.end);
  const std::int64_t end = std::min(begin + batch_, share_.end);
  std::vector<std::int64_t> result(static_cast<std::size_t>(end - begin));
  std::iota(result.begin(), result.end(), begin);
  return result;
}

}  // namespace lockstep::data
