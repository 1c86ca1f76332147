#include "data/order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/philox.hpp"
#include "data/permutation.hpp"

namespace lockstep::data {
namespace {

Permutation permutation_of(const Order& order, std::int64_t epoch) {
  return {order.dataset_size, mix(order.seed, static_cast<std::uint64_t>(epoch))};
}

}  // namespace

std::int64_t Order::steps_per_epoch() const {
  if (global_batch < 1) {
    throw Error(
        ErrorKind::usage,
        fmt::format("train.global_batch is {}: a step needs at least one sample", global_batch));
  }
  if (global_batch > dataset_size) {
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "train.global_batch is {}, but there are only {} training samples: an epoch would "
            "have no step; lower train.global_batch to at most {}, or use more data",
            global_batch, dataset_size, dataset_size));
  }
  return dataset_size / global_batch;
}

std::int64_t Order::sample(std::int64_t epoch, std::int64_t position) const {
  return permutation_of(*this, epoch).at(position);
}

Share share_of(std::int64_t count, int rank, int size) {
  expect(count >= 0 && size >= 1 && rank >= 0 && rank < size, "a share needs a rank in [0, size)");
  const std::int64_t least = count / size;
  const std::int64_t larger = count % size;  // so many ranks, the first ones, hold one more
  const auto begin_of = [&](std::int64_t r) { return r * least + std::min(r, larger); };
  return {begin_of(rank), begin_of(rank + 1)};
}

void require_usable(const Order& order, int size) {
  static_cast<void>(order.steps_per_epoch());
  if (order.global_batch < size) {
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "train.global_batch is {}, but there are {} ranks and each needs a sample in every "
            "step; raise train.global_batch to at least {}, or start fewer ranks",
            order.global_batch, size, size));
  }
}

std::vector<std::int64_t> ids(const Order& order, std::int64_t step, int rank, int size) {
  require_usable(order, size);
  expect(step >= 0, "a step is counted from 0");
  const std::int64_t epoch = order.epoch_of(step);
  const std::int64_t first = (step % order.steps_per_epoch()) * order.global_batch;
  const Share share = share_of(order.global_batch, rank, size);
  const Permutation permutation = permutation_of(order, epoch);
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(share.end - share.begin));
  for (std::int64_t place = share.begin; place < share.end; ++place) {
    result.push_back(permutation.at(first + place));
  }
  return result;
}

}  // namespace lockstep::data
