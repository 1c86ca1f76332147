#include "data/permutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <unordered_set>
#include <vector>

#include "core/philox.hpp"
#include "error_of.hpp"

namespace lockstep::data {
namespace {

std::vector<std::int64_t> all_of(std::int64_t size, std::uint64_t key) {
  const Permutation permutation(size, key);
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < size; ++i) result.push_back(permutation.at(i));
  return result;
}

bool is_permutation(const std::vector<std::int64_t>& values) {
  std::vector<bool> seen(values.size());
  for (const std::int64_t value : values) {
    if (value < 0 || value >= static_cast<std::int64_t>(values.size())) return false;
    seen[static_cast<std::size_t>(value)] = true;
  }
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

// Correlation of value(i) with other(i); for unrelated permutations its deviation is 1 / sqrt(n).
double correlation(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b,
                   std::size_t lag) {
  const auto n = static_cast<double>(a.size());
  const double mean = (n - 1) / 2;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum +=
        (static_cast<double>(a[i]) - mean) * (static_cast<double>(b[(i + lag) % b.size()]) - mean);
  }
  return sum / (n * (n * n - 1) / 12);
}

TEST(Permutation, ReachesEveryPlaceOnceForEverySmallSize) {
  for (std::int64_t size = 1; size <= 300; ++size) {
    for (std::uint64_t key = 0; key < 3; ++key) {
      ASSERT_TRUE(is_permutation(all_of(size, mix(key)))) << size << " with key " << key;
    }
  }
}

TEST(Permutation, ReachesEveryPlaceOnceForSizesOfRealDataSets) {
  for (const std::int64_t size : {50'000, 60'000, 65'536, 65'537, 99'991}) {
    ASSERT_TRUE(is_permutation(all_of(size, 11))) << size;
  }
}

TEST(Permutation, OfABillionStaysInsideWithoutMeetingItself) {
  constexpr std::int64_t kSize = 1'000'000'000;
  const Permutation permutation(kSize, 5);
  std::unordered_set<std::int64_t> seen;
  double displacement = 0;
  double neighbours = 0;
  std::int64_t previous = 0;
  constexpr std::int64_t kSamples = 20'000;
  for (std::int64_t i = 0; i < kSamples; ++i) {
    const std::int64_t position = i % 2 == 0 ? i * 49'999 : (i - 1) * 49'999 + 1;
    const std::int64_t value = permutation.at(position);
    ASSERT_GE(value, 0);
    ASSERT_LT(value, kSize);
    ASSERT_TRUE(seen.insert(value).second) << position;
    displacement += std::abs(static_cast<double>(value - position)) / kSamples;
    if (i % 2 == 1)
      neighbours += std::abs(static_cast<double>(value - previous)) / (kSamples / 2.0);
    previous = value;
  }
  // Two independent places are a third of the whole apart.
  EXPECT_NEAR(displacement / kSize, 1.0 / 3, 0.01);
  EXPECT_NEAR(neighbours / kSize, 1.0 / 3, 0.01);
}

TEST(Permutation, WorksAtTheEndsOfItsRange) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 62;
  const Permutation permutation(kLargest, 1);
  for (const std::int64_t position : {std::int64_t{0}, std::int64_t{1}, kLargest - 1}) {
    EXPECT_GE(permutation.at(position), 0);
    EXPECT_LT(permutation.at(position), kLargest);
  }
  test::error_of(ErrorKind::internal, [] { static_cast<void>(Permutation(0, 1)); });
  test::error_of(ErrorKind::internal, [&] { static_cast<void>(permutation.at(kLargest)); });
  test::error_of(ErrorKind::internal, [&] { static_cast<void>(permutation.at(-1)); });
}

TEST(Permutation, KeepsNoStructureOfThePlaces) {
  const std::vector<std::int64_t> values = all_of(60'000, 77);
  std::vector<std::int64_t> places(values.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
  const double bound = 4.5 / std::sqrt(60'000.0);
  EXPECT_LT(std::abs(correlation(places, values, 0)), bound);
  // 245 is the side of the rectangle under the network: a weak one would show there.
  for (const std::size_t lag : {1U, 2U, 64U, 128U, 244U, 245U, 246U, 490U}) {
    EXPECT_LT(std::abs(correlation(values, values, lag)), bound) << lag;
  }
}

TEST(Permutation, SpreadsEveryBlockOfPlacesEvenly) {
  // A batch of 256 consecutive places, and where it goes, in 16 equal parts: chi-square with 15
  // degrees.
  const std::vector<std::int64_t> values = all_of(65'536, 3);
  double sum = 0;
  for (std::size_t block = 0; block < 256; ++block) {
    std::array<int, 16> counts{};
    for (std::size_t i = 0; i < 256; ++i)
      ++counts.at(static_cast<std::size_t>(values[block * 256 + i]) / 4096);
    for (const int count : counts) sum += (count - 16.0) * (count - 16.0) / 16.0;
  }
  // Mean 15 a block, a little less without replacement; deviation over 256 blocks 0.34.
  EXPECT_NEAR(sum / 256, 15.0, 1.7);
}

TEST(Permutation, FewPlacesStay) {
  int fixed = 0;
  for (std::uint64_t key = 0; key < 200; ++key) {
    const std::vector<std::int64_t> values = all_of(100, mix(key));
    for (std::size_t i = 0; i < values.size(); ++i)
      fixed += values[i] == static_cast<std::int64_t>(i) ? 1 : 0;
  }
  // One a permutation is expected, Poisson.
  EXPECT_NEAR(fixed, 200, 5 * std::sqrt(200.0));
}

TEST(Permutation, AllOrdersOfFourComeEquallyOften) {
  std::map<std::vector<std::int64_t>, int> counts;
  constexpr int kKeys = 24'000;
  for (std::uint64_t key = 0; key < kKeys; ++key) ++counts[all_of(4, mix(key, 99))];
  EXPECT_EQ(counts.size(), 24U);
  for (const auto& [order, count] : counts) EXPECT_NEAR(count, 1000, 5 * std::sqrt(1000.0));
}

TEST(Permutation, AnotherKeyIsUnrelated) {
  const std::vector<std::int64_t> one = all_of(60'000, 1);
  const std::vector<std::int64_t> other = all_of(60'000, 2);
  EXPECT_LT(std::abs(correlation(one, other, 0)), 4.5 / std::sqrt(60'000.0));
  EXPECT_EQ(one, all_of(60'000, 1));
}

}  // namespace
}  // namespace lockstep::data
