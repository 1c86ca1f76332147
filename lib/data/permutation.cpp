#include "data/permutation.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/philox.hpp"

namespace lockstep::data {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 62;

std::uint64_t ceil_of_root(std::uint64_t value) {
  auto root =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::sqrt(static_cast<double>(value))));
  // A double has 53 bits: the root may be off by one either way.
  while (root * root >= value && root > 1) --root;
  while (root * root < value) ++root;
  return root;
}

// Uniform in [0, bound) from the key of a round and the other half; bound is at most 2^31.
std::uint64_t draw(std::uint64_t key, std::uint64_t half, std::uint64_t bound) {
  return ((mix(key, half) >> 32U) * bound) >> 32U;
}

std::uint64_t add_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  const std::uint64_t sum = a + b;
  return sum >= modulus ? sum - modulus : sum;
}

}  // namespace

Permutation::Permutation(std::int64_t size, std::uint64_t key) {
  expect(size >= 1 && size <= kLargest, "a permutation needs a size in [1, 2^62]");
  size_ = static_cast<std::uint64_t>(size);
  rows_ = ceil_of_root(size_);
  columns_ = (size_ + rows_ - 1) / rows_;
  for (std::size_t round = 0; round < kRounds; ++round) keys_[round] = mix(key, round);
}

std::uint64_t Permutation::shuffle_cell(std::uint64_t cell) const {
  std::uint64_t row = cell / columns_;
  std::uint64_t column = cell % columns_;
  for (std::size_t round = 0; round < kRounds; round += 2) {
    row = add_modulo(row, draw(keys_[round], column, rows_), rows_);
    column = add_modulo(column, draw(keys_[round + 1], row, columns_), columns_);
  }
  return row * columns_ + column;
}

std::int64_t Permutation::at(std::int64_t position) const {
  auto cell = static_cast<std::uint64_t>(position);
  expect(cell < size_, "a position must lie inside the permutation");
  // The rectangle has fewer than 2 sqrt(size) cells too many; who lands there walks on along its
  // cycle, which comes back into [0, size) because it began there.
  do {
    cell = shuffle_cell(cell);
  } while (cell >= size_);
  return static_cast<std::int64_t>(cell);
}

}  // namespace lockstep::data
