#pragma once

#include <bit>
#include <cstdint>

namespace lockstep::model {

/// bfloat16 as it lies in memory: the upper half of a float.
struct BFloat16 {
  std::uint16_t bits;
};

[[gnu::always_inline]] inline float to_float(float value) { return value; }
[[gnu::always_inline]] inline float to_float(BFloat16 value) {
  return std::bit_cast<float>(std::uint32_t{value.bits} << 16U);
}

[[gnu::always_inline]] inline void from_float(float& to, float value) { to = value; }
/// To the nearest, ties to even, as LibTorch does; a NaN stays one.
[[gnu::always_inline]] inline void from_float(BFloat16& to, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
  to.bits = static_cast<std::uint16_t>(value != value ? 0x7FC0U : rounded);
}

}  // namespace lockstep::model
