#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::data {

/// Which samples make up which global batch. A pure function: nothing to keep, nothing to replay,
/// and constant memory at 10^9 samples. An epoch is floor(dataset_size / global_batch) steps; what
/// is left over differs from epoch to epoch.
struct Order {
  std::uint64_t seed = 0;
  std::int64_t dataset_size = 0;
  std::int64_t global_batch = 0;

  /// Throws Error{usage} if a global batch is larger than the data set, or not positive.
  [[nodiscard]] std::int64_t steps_per_epoch() const;
  [[nodiscard]] std::int64_t epoch_of(std::int64_t step) const { return step / steps_per_epoch(); }

  /// The sample at place `position` of epoch `epoch`'s permutation of [0, dataset_size).
  [[nodiscard]] std::int64_t sample(std::int64_t epoch, std::int64_t position) const;
};

/// Places [begin, end) of a global batch that rank `rank` of `size` holds: split evenly, +-1.
struct Share {
  std::int64_t begin;
  std::int64_t end;
};
[[nodiscard]] Share share_of(std::int64_t count, int rank, int size);

/// Throws Error{usage} unless every step has a sample for each of `size` ranks and an epoch has a
/// step.
void require_usable(const Order& order, int size);

/// Ids of rank `rank`'s share of the global batch of step `step` (counted from 0 over all epochs).
[[nodiscard]] std::vector<std::int64_t> ids(const Order& order, std::int64_t step, int rank,
                                            int size);

}  // namespace lockstep::data
