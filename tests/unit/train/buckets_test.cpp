#include "train/buckets.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "core/error.hpp"
#include "core/philox.hpp"

namespace lockstep::train {
namespace {

struct Layout {
  std::vector<std::size_t> offsets;
  std::size_t arena = 0;
};

// `count` gradients of very different sizes behind a head of report and statistics.
Layout layout(std::size_t count, std::uint64_t seed) {
  Philox random(seed, 0);
  Layout result;
  result.arena = 16 * (1 + random.below(50));
  for (std::size_t i = 0; i < count; ++i) {
    result.offsets.push_back(result.arena);
    result.arena += 16 * (1 + random.below(i % 5 == 0 ? 400 : 4));
  }
  return result;
}

class Buckets : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    for (const std::size_t count : {1UL, 2UL, 7UL, 161UL}) layouts_.push_back(layout(count, count));
  }
  std::vector<Layout> layouts_;
};

TEST_P(Buckets, CoverTheArenaWithoutGapOrOverlapFromItsEndToZero) {
  for (const Layout& l : layouts_) {
    std::size_t end = l.arena;
    for (const Bucket& bucket : cut_buckets(l.offsets, l.arena, GetParam())) {
      EXPECT_EQ(bucket.end, end);
      EXPECT_LT(bucket.begin, bucket.end);
      end = bucket.begin;
    }
    EXPECT_EQ(end, 0U);
  }
}

TEST_P(Buckets, HoldEachGradientInExactlyOneAndCountIt) {
  for (const Layout& l : layouts_) {
    const auto buckets = cut_buckets(l.offsets, l.arena, GetParam());
    const auto bucket_of = bucket_of_weight(buckets, l.offsets);
    std::vector<std::size_t> counted(buckets.size());
    for (std::size_t weight = 0; weight < l.offsets.size(); ++weight) {
      const std::size_t next = weight + 1 < l.offsets.size() ? l.offsets[weight + 1] : l.arena;
      const Bucket& bucket = buckets.at(bucket_of[weight]);
      EXPECT_LE(bucket.begin, l.offsets[weight]);
      EXPECT_GE(bucket.end, next) << "a gradient is cut in two";
      ++counted[bucket_of[weight]];
    }
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      EXPECT_EQ(buckets[i].weights, counted[i]);
      EXPECT_GT(buckets[i].weights, 0U) << "would be ready before any gradient is";
    }
  }
}

TEST_P(Buckets, AreAsLargeAsAskedButForTheLast) {
  for (const Layout& l : layouts_) {
    const auto buckets = cut_buckets(l.offsets, l.arena, GetParam());
    for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
      EXPECT_GE(buckets[i].end - buckets[i].begin, GetParam());
      // Without its first gradient it would be too small: no more than one is over.
      std::size_t second = buckets[i].end;
      for (const std::size_t offset : l.offsets) {
        if (offset > buckets[i].begin) {
          second = offset;
          break;
        }
      }
      EXPECT_LT(buckets[i].end - second, std::max<std::size_t>(GetParam(), 1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Buckets, testing::Values(0, 1, 100, 2000, 100'000'000));

TEST(Buckets, AreOneWhereEverythingFits) {
  const Layout l = layout(20, 1);
  EXPECT_EQ(cut_buckets(l.offsets, l.arena, 100'000'000).size(), 1U);
}

TEST(Buckets, AreOneAGradientWhereNothingFits) {
  const Layout l = layout(20, 1);
  EXPECT_EQ(cut_buckets(l.offsets, l.arena, 1).size(), 20U);
}

TEST(Buckets, NeedGradientsInAscendingOrder) {
  const std::vector<std::size_t> offsets = {64, 32};
  EXPECT_THROW(static_cast<void>(cut_buckets(offsets, 128, 10)), Error);
}

}  // namespace
}  // namespace lockstep::train
