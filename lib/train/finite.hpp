#pragma once

#include <bit>
#include <cstdint>

namespace lockstep::train {

/// 1 for an infinity or a NaN, else 0: an exponent of ones (IEEE 754). As an integer, so that loops
/// over many values are vectorised.
[[gnu::always_inline]] inline std::uint32_t is_not_finite(float value) {
  return (std::bit_cast<std::uint32_t>(value) & 0x7F800000U) == 0x7F800000U ? 1U : 0U;
}

}  // namespace lockstep::train
