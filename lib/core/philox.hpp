#pragma once

#include <array>
#include <cstdint>

namespace lockstep {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11): random words
/// as a pure function of (key, counter). Nothing to save, nothing to skip, the same on any rank and
/// thread.
class Philox {
 public:
  Philox(std::uint64_t key, std::uint64_t stream, std::uint64_t offset = 0) noexcept;

  /// The next 32 random bits.
  [[nodiscard]] std::uint32_t next() noexcept;
  /// Uniform in [0, bound) without bias worth speaking of (multiply-shift on 32 bits); bound > 0.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{next()} * bound) >> 32U);
  }
  /// Uniform in [0, 1), 24 bits.
  [[nodiscard]] float uniform() noexcept { return static_cast<float>(next() >> 8U) * 0x1.0p-24F; }

 private:
  void refill() noexcept;

  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

/// A 64-bit hash of three words, for keys of streams (splitmix64's finaliser over each).
[[nodiscard]] std::uint64_t mix(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) noexcept;

}  // namespace lockstep
