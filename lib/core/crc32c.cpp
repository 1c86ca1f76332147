#include "core/crc32c.hpp"

#include <nmmintrin.h>

#include <array>
#include <cstring>

namespace lockstep {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78U;  // reflected

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1U) ^ ((value & 1U) != 0 ? kPolynomial : 0U);
    table[i] = value;
  }
  return table;
}

constexpr auto kTable = make_table();

// The instruction has a latency of three cycles and starts one a cycle: three streams at once keep
// it busy. Their CRCs are joined by "appending zeros", a linear map kept as four tables of 256
// entries.
constexpr std::size_t kStream = 4096;

using ZerosTable = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr std::uint32_t append_zeros(std::uint32_t crc, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) crc = (crc >> 8U) ^ kTable[crc & 0xFFU];
  return crc;
}

ZerosTable make_zeros_table() {
  std::array<std::uint32_t, 32> basis{};
  for (std::uint32_t bit = 0; bit < 32; ++bit) basis[bit] = append_zeros(1U << bit, kStream);
  ZerosTable table{};
  for (std::uint32_t byte = 0; byte < 4; ++byte) {
    for (std::uint32_t value = 0; value < 256; ++value) {
      std::uint32_t sum = 0;
      for (std::uint32_t bit = 0; bit < 8; ++bit) {
        if (((value >> bit) & 1U) != 0) sum ^= basis[byte * 8 + bit];
      }
      table[byte][value] = sum;
    }
  }
  return table;
}

std::uint32_t shift_stream(const ZerosTable& zeros, std::uint32_t crc) {
  return zeros[0][crc & 0xFFU] ^ zeros[1][(crc >> 8U) & 0xFFU] ^ zeros[2][(crc >> 16U) & 0xFFU] ^
         zeros[3][crc >> 24U];
}

std::uint64_t load64(const std::byte* data) {
  std::uint64_t value = 0;
  std::memcpy(&value, data, sizeof value);
  return value;
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_hardware(std::span<const std::byte> bytes,
                                                                std::uint32_t seed) {
  static const ZerosTable zeros = make_zeros_table();
  std::uint64_t crc = ~seed;
  const std::byte* data = bytes.data();
  std::size_t left = bytes.size();
  while (left >= 3 * kStream) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kStream; i += 8) {
      crc = _mm_crc32_u64(crc, load64(data + i));
      second = _mm_crc32_u64(second, load64(data + kStream + i));
      third = _mm_crc32_u64(third, load64(data + 2 * kStream + i));
    }
    crc = shift_stream(zeros, static_cast<std::uint32_t>(crc)) ^ second;
    crc = shift_stream(zeros, static_cast<std::uint32_t>(crc)) ^ third;
    data += 3 * kStream;
    left -= 3 * kStream;
  }
  for (; left >= 8; data += 8, left -= 8) crc = _mm_crc32_u64(crc, load64(data));
  auto tail = static_cast<std::uint32_t>(crc);
  for (; left > 0; ++data, --left) tail = _mm_crc32_u8(tail, std::to_integer<std::uint8_t>(*data));
  return ~tail;
}

}  // namespace

std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  std::uint32_t crc = ~seed;
  for (const std::byte byte : bytes) {
    crc = (crc >> 8U) ^ kTable[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  }
  return ~crc;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  return has_instruction ? crc32c_hardware(bytes, seed) : crc32c_portable(bytes, seed);
}

}  // namespace lockstep
