#include "core/crc32c.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/philox.hpp"

namespace lockstep {
namespace {

std::vector<std::byte> random_bytes(std::size_t count) {
  Philox random(1, 2);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  return bytes;
}

std::vector<std::byte> counting(int from, int step) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 32; ++i) bytes.push_back(static_cast<std::byte>(from + i * step));
  return bytes;
}

// RFC 3720, appendix B.4; the CRCs stand there byte by byte, lowest first.
TEST(Crc32c, AgreesWithRfc3720) {
  EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{0})), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{0xFF})), 0x62A8AB43U);
  EXPECT_EQ(crc32c(counting(0, 1)), 0x46DD794EU);
  EXPECT_EQ(crc32c(counting(31, -1)), 0x113FDB5CU);
  std::vector<std::byte> read_command(48);
  read_command[0] = std::byte{0x01};
  read_command[1] = std::byte{0xC0};
  read_command[16] = std::byte{0x14};
  read_command[22] = std::byte{0x04};
  read_command[27] = std::byte{0x14};
  read_command[31] = std::byte{0x18};
  read_command[32] = std::byte{0x28};
  read_command[40] = std::byte{0x02};
  EXPECT_EQ(crc32c(read_command), 0xD9963A56U);
}

TEST(Crc32c, GivesTheCheckValueOfTheCatalogue) {
  constexpr std::string_view kText = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(kText))), 0xE3069283U);
  EXPECT_EQ(crc32c_portable(std::as_bytes(std::span(kText))), 0xE3069283U);
}

TEST(Crc32c, OfNothingIsTheSeed) {
  EXPECT_EQ(crc32c({}), 0U);
  EXPECT_EQ(crc32c({}, 0x12345678U), 0x12345678U);
}

TEST(Crc32c, IsTheSameWithAndWithoutTheInstruction) {
  const std::vector<std::byte> bytes = random_bytes(70'000);
  std::vector<std::size_t> lengths(70);
  std::iota(lengths.begin(), lengths.end(), std::size_t{0});
  // Around the three streams of 4096 bytes and their multiples.
  for (const std::size_t around : {4096U, 8192U, 12'288U, 24'576U, 36'864U}) {
    for (std::size_t i = 0; i < 20; ++i) lengths.push_back(around - 10 + i);
  }
  for (const std::size_t length : lengths) {
    for (const std::size_t offset : {0U, 1U, 3U, 7U}) {
      const auto part = std::span(bytes).subspan(offset, length);
      ASSERT_EQ(crc32c(part), crc32c_portable(part)) << length << " bytes at " << offset;
      ASSERT_EQ(crc32c(part, 0xDEADBEEFU), crc32c_portable(part, 0xDEADBEEFU)) << length;
    }
  }
}

TEST(Crc32c, ContinuesWhereAnotherEnded) {
  const std::vector<std::byte> bytes = random_bytes(30'000);
  const std::uint32_t whole = crc32c(bytes);
  for (const std::size_t split : {0U, 1U, 7U, 8U, 4095U, 12'288U, 12'289U, 29'999U, 30'000U}) {
    const auto first = std::span(bytes).first(split);
    const auto rest = std::span(bytes).subspan(split);
    EXPECT_EQ(crc32c(rest, crc32c(first)), whole) << split;
    EXPECT_EQ(crc32c_portable(rest, crc32c(first)), whole) << split;
  }
}

TEST(Crc32c, SeesEveryFlippedBit) {
  std::vector<std::byte> bytes = random_bytes(13'000);
  const std::uint32_t good = crc32c(bytes);
  for (std::size_t i = 0; i < bytes.size(); i += 97) {
    bytes[i] ^= std::byte{0x10};
    EXPECT_NE(crc32c(bytes), good) << i;
    bytes[i] ^= std::byte{0x10};
  }
}

}  // namespace
}  // namespace lockstep
