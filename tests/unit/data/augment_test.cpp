#include "data/augment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

namespace lockstep::data {
namespace {

using Pixels = std::vector<std::byte>;
constexpr ImageShape kShape{.height = 5, .width = 4, .channels = 3};

// No pixel is zero and no two are equal, so that a place tells where it came from.
Pixels picture() {
  Pixels pixels(kShape.size_bytes());
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::byte>(i + 1);
  return pixels;
}

Pixels augmented(const Augment& augment, std::int64_t epoch, std::int64_t id) {
  Pixels out(kShape.size_bytes(), std::byte{0xEE});
  augment.apply(epoch, id, kShape, picture(), out);
  return out;
}

// The same transformation, the slow and obvious way.
Pixels expected(std::int64_t down, std::int64_t right, bool mirrored) {
  const Pixels in = picture();
  Pixels out(in.size());
  for (std::int64_t y = 0; y < kShape.height; ++y) {
    for (std::int64_t x = 0; x < kShape.width; ++x) {
      const std::int64_t from_y = y + down;
      const std::int64_t from_x = (mirrored ? kShape.width - 1 - x : x) + right;
      if (from_y < 0 || from_y >= kShape.height || from_x < 0 || from_x >= kShape.width) continue;
      for (std::int64_t c = 0; c < kShape.channels; ++c) {
        const auto to = static_cast<std::size_t>((y * kShape.width + x) * kShape.channels + c);
        out[to] =
            in[static_cast<std::size_t>((from_y * kShape.width + from_x) * kShape.channels + c)];
      }
    }
  }
  return out;
}

struct Move {
  std::int64_t down;
  std::int64_t right;
  bool mirrored;
  auto operator<=>(const Move&) const = default;
};

std::optional<Move> move_of(const Pixels& out, std::int64_t padding) {
  for (std::int64_t down = -padding; down <= padding; ++down) {
    for (std::int64_t right = -padding; right <= padding; ++right) {
      for (const bool mirrored : {false, true}) {
        if (out == expected(down, right, mirrored)) return Move{down, right, mirrored};
      }
    }
  }
  return std::nullopt;
}

TEST(Augment, SwitchedOffIsTheIdentity) {
  const Augment augment{.seed = 1};
  EXPECT_TRUE(augment.is_identity());
  for (std::int64_t id = 0; id < 20; ++id) EXPECT_EQ(augmented(augment, 0, id), picture());
  EXPECT_FALSE((Augment{.seed = 1, .crop_padding = 1}.is_identity()));
  EXPECT_FALSE((Augment{.seed = 1, .flip = true}.is_identity()));
}

TEST(Augment, MakesEveryCropWithAndWithoutMirrorEquallyOften) {
  const Augment augment{.seed = 7, .crop_padding = 2, .flip = true};
  std::map<Move, int> counts;
  constexpr int kDraws = 5000;
  for (std::int64_t id = 0; id < kDraws; ++id) {
    const std::optional<Move> move = move_of(augmented(augment, id % 3, id), 2);
    ASSERT_TRUE(move.has_value()) << "sample " << id << " is no crop of the padded picture";
    ++counts[*move];
  }
  EXPECT_EQ(counts.size(), 50U);
  for (const auto& [move, count] : counts) EXPECT_NEAR(count, 100, 50);
}

TEST(Augment, PaddingLargerThanThePictureCanLeaveNothing) {
  const Augment augment{.seed = 7, .crop_padding = 9};
  for (std::int64_t id = 0; id < 300; ++id)
    ASSERT_TRUE(move_of(augmented(augment, 0, id), 9).has_value()) << id;
}

TEST(Augment, FlipAloneMirrorsAboutHalf) {
  const Augment augment{.seed = 2, .flip = true};
  int mirrored = 0;
  for (std::int64_t id = 0; id < 1000; ++id) {
    const Pixels out = augmented(augment, 0, id);
    ASSERT_TRUE(out == picture() || out == expected(0, 0, true));
    mirrored += out == picture() ? 0 : 1;
  }
  EXPECT_NEAR(mirrored, 500, 80);
}

TEST(Augment, DependsOnSeedEpochAndSampleOnly) {
  const Augment augment{.seed = 7, .crop_padding = 2, .flip = true};
  const Augment other{.seed = 8, .crop_padding = 2, .flip = true};
  int same_epoch = 0;
  int same_seed = 0;
  for (std::int64_t id = 0; id < 500; ++id) {
    const Pixels once = augmented(augment, 3, id);
    EXPECT_EQ(once, augmented(augment, 3, id));
    same_epoch += once == augmented(augment, 4, id) ? 1 : 0;
    same_seed += once == augmented(other, 3, id) ? 1 : 0;
  }
  // One of 50 by chance.
  EXPECT_LT(same_epoch, 30);
  EXPECT_LT(same_seed, 30);
}

TEST(Augment, TheCropDoesNotDependOnFlip) {
  const Augment with{.seed = 7, .crop_padding = 2, .flip = true};
  const Augment without{.seed = 7, .crop_padding = 2, .flip = false};
  for (std::int64_t id = 0; id < 100; ++id) {
    const auto a = move_of(augmented(with, 0, id), 2);
    const auto b = move_of(augmented(without, 0, id), 2);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->down, b->down);
    EXPECT_EQ(a->right, b->right);
  }
}

TEST(Augment, NumbersAreFixedForEver) {
  // A run that resumes with a newer program must see the same pictures.
  const Augment augment{.seed = 1234, .crop_padding = 4, .flip = true};
  std::vector<std::int64_t> drawn;
  for (std::int64_t id = 0; id < 4; ++id) {
    const auto move = move_of(augmented(augment, 5, id), 4);
    ASSERT_TRUE(move.has_value());
    drawn.insert(drawn.end(), {move->down, move->right, move->mirrored ? 1 : 0});
  }
  EXPECT_EQ(drawn, (std::vector<std::int64_t>{1, 2, 0, 3, 2, 0, -3, -3, 1, 4, -2, 0}));
}

}  // namespace
}  // namespace lockstep::data
