#include "core/philox.hpp"

namespace lockstep {
namespace {

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); }

std::uint64_t finalise(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

}  // namespace

Philox::Philox(std::uint64_t key, std::uint64_t stream, std::uint64_t offset) noexcept
    : key_{low(key), high(key)}, counter_{low(offset), high(offset), low(stream), high(stream)} {}

std::uint32_t Philox::next() noexcept {
  if (used_ == 4) refill();
  return block_[used_++];
}

void Philox::refill() noexcept {
  std::array<std::uint32_t, 4> x = counter_;
  std::array<std::uint32_t, 2> k = key_;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * x[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * x[2];
    x = {high(b) ^ x[1] ^ k[0], low(b), high(a) ^ x[3] ^ k[1], low(a)};
    k = {k[0] + 0x9E3779B9U, k[1] + 0xBB67AE85U};
  }
  block_ = x;
  used_ = 0;
  if (++counter_[0] == 0) ++counter_[1];
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept {
  std::uint64_t value = finalise(a + 0x9E3779B97F4A7C15ULL);
  value = finalise(value ^ (b + 0x9E3779B97F4A7C15ULL));
  return finalise(value ^ (c + 0x9E3779B97F4A7C15ULL));
}

}  // namespace lockstep
