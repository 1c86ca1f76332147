#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

/// 64-bit FNV-1a: tells texts apart (configurations, programs); no protection against malice.
[[nodiscard]] constexpr std::uint64_t fnv1a(std::string_view text,
                                            std::uint64_t seed = 0xCBF29CE484222325ULL) noexcept {
  for (const char c : text) {
    seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return seed;
}

/// 16 hexadecimal digits.
[[nodiscard]] std::string hex(std::uint64_t value);

}  // namespace lockstep
