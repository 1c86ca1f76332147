#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::train {

/// A contiguous part of the arena that is reduced with one call, and the weights whose gradients
/// lie in it.
struct Bucket {
  std::size_t begin = 0;  ///< floats
  std::size_t end = 0;
  std::size_t weights = 0;  ///< how many gradients it waits for
};

/// Where the gradients lie: offsets in the arena, ascending, one a weight.
///
/// Gradients become ready from the last layer to the first, so buckets are cut from the arena's
/// end; each holds about `bucket_floats`. The last one begins at 0: it carries the report and the
/// running statistics along.
[[nodiscard]] std::vector<Bucket> cut_buckets(std::span<const std::size_t> gradient_offsets,
                                              std::size_t arena_floats, std::size_t bucket_floats);

/// For each weight, in the order of the offsets, the index of its bucket.
[[nodiscard]] std::vector<std::size_t> bucket_of_weight(
    std::span<const Bucket> buckets, std::span<const std::size_t> gradient_offsets);

}  // namespace lockstep::train
