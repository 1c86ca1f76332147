#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/batch.hpp"

namespace lockstep::data {

/// Pad-and-crop, then flip, drawn from (seed, epoch, sample id) and nothing else: the same on any
/// rank, thread and after any resume.
struct Augment {
  std::uint64_t seed = 0;
  std::int64_t crop_padding = 0;  ///< zeros on each side, then a crop of the original size; 0: off
  bool flip = false;

  [[nodiscard]] bool is_identity() const { return crop_padding == 0 && !flip; }
  /// From `in` to `out` (both shape.size_bytes() long, not overlapping).
  void apply(std::int64_t epoch, std::int64_t id, const ImageShape& shape,
             std::span<const std::byte> in, std::span<std::byte> out) const;
};

}  // namespace lockstep::data
