#pragma once

#include <array>
#include <cstdint>

namespace lockstep::data {

/// A pseudo-random permutation of [0, size) that is computed, not stored: a Feistel network over a
/// rectangle of about sqrt(size) x sqrt(size) cells with cycle walking (Black and Rogaway, "Ciphers
/// with arbitrary finite domains", CT-RSA 2002). Another key, another permutation.
class Permutation {
 public:
  /// 1 <= size <= 2^62.
  Permutation(std::int64_t size, std::uint64_t key);

  /// Where `position` of [0, size) goes.
  [[nodiscard]] std::int64_t at(std::int64_t position) const;

 private:
  [[nodiscard]] std::uint64_t shuffle_cell(std::uint64_t cell) const;

  static constexpr std::size_t kRounds = 8;
  std::uint64_t size_;
  std::uint64_t rows_;
  std::uint64_t columns_;
  std::array<std::uint64_t, kRounds> keys_{};
};

}  // namespace lockstep::data
