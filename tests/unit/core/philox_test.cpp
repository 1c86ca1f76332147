#include "core/philox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace lockstep {
namespace {

std::vector<std::uint32_t> words(Philox random, std::size_t count) {
  std::vector<std::uint32_t> result(count);
  for (std::uint32_t& word : result) word = random.next();
  return result;
}

// Random123's kat_vectors, lines "philox4x32 10".
TEST(Philox, AgreesWithRandom123) {
  EXPECT_EQ(words(Philox(0, 0, 0), 4),
            (std::vector<std::uint32_t>{0x6627E8D5U, 0xE169C58DU, 0xBC57AC4CU, 0x9B00DBD8U}));
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  EXPECT_EQ(words(Philox(kOnes, kOnes, kOnes), 4),
            (std::vector<std::uint32_t>{0x408F276DU, 0x41C83B0EU, 0xA20BC7C6U, 0x6D5451FDU}));
  EXPECT_EQ(words(Philox(0x299F31D0A4093822ULL, 0x0370734413198A2EULL, 0x85A308D3243F6A88ULL), 4),
            (std::vector<std::uint32_t>{0xD16CFE09U, 0x94FDCCEBU, 0x5001E420U, 0x24126EA1U}));
}

TEST(Philox, OffsetSkipsBlocksOfFourWords) {
  const std::vector<std::uint32_t> stream = words(Philox(5, 6), 12);
  const std::vector<std::uint32_t> later = words(Philox(5, 6, 2), 4);
  EXPECT_EQ(std::vector<std::uint32_t>(stream.begin() + 8, stream.end()), later);
}

TEST(Philox, CarriesIntoTheUpperHalfOfTheOffset) {
  const std::vector<std::uint32_t> across = words(Philox(5, 6, 0xFFFFFFFFULL), 8);
  EXPECT_EQ(std::vector<std::uint32_t>(across.begin() + 4, across.end()),
            words(Philox(5, 6, 0x100000000ULL), 4));
}

TEST(Philox, KeyAndStreamBothMatter) {
  const auto base = words(Philox(1, 1), 4);
  EXPECT_NE(words(Philox(2, 1), 4), base);
  EXPECT_NE(words(Philox(1, 2), 4), base);
  EXPECT_NE(words(Philox(1ULL << 32U, 1), 4), words(Philox(0, 1), 4));
  EXPECT_NE(words(Philox(1, 1ULL << 32U), 4), words(Philox(1, 0), 4));
}

TEST(Philox, BelowIsEvenAndStaysBelow) {
  Philox random(3, 4);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  // 5 standard deviations of a binomial with p = 1/7 are 463.
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 463);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0U);
}

TEST(Philox, UniformLiesInTheUnitInterval) {
  Philox random(7, 8);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const float value = random.uniform();
    ASSERT_GE(value, 0.0F);
    ASSERT_LT(value, 1.0F);
    sum += static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 5 * 0.2887 / 100);
}

TEST(Mix, TellsItsWordsApart) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t a = 0; a < 10; ++a) {
    for (std::uint64_t b = 0; b < 10; ++b) {
      for (std::uint64_t c = 0; c < 10; ++c) seen.insert(mix(a, b, c));
    }
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Mix, FlipsAboutHalfOfTheBits) {
  int flipped = 0;
  for (unsigned bit = 0; bit < 64; ++bit) {
    flipped += __builtin_popcountll(mix(42, 7) ^ mix(42 ^ (1ULL << bit), 7));
    flipped += __builtin_popcountll(mix(42, 7) ^ mix(42, 7 ^ (1ULL << bit)));
  }
  EXPECT_NEAR(flipped / 128.0, 32.0, 2.0);
}

}  // namespace
}  // namespace lockstep
