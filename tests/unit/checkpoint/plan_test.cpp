#include "checkpoint/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace lockstep::checkpoint {
namespace {

/// About ResNet-152 twice (weights and momentum): 60 million parameters each.
std::vector<Entry> resnet152() {
  std::vector<Entry> entries;
  for (const std::string part : {"/model/", "/optimizer/"}) {
    const auto add = [&](std::vector<std::int64_t> shape) {
      entries.push_back({part + std::to_string(entries.size()), DType::f32, std::move(shape)});
    };
    add({64, 3, 7, 7});
    for (const auto& [blocks, width] : {std::pair{3, 64}, {8, 128}, {36, 256}, {3, 512}}) {
      for (int block = 0; block < blocks; ++block) {
        add({width, 4 * width, 1, 1});
        add({width, width, 3, 3});
        add({4 * width, width, 1, 1});
        for (int norm = 0; norm < 6; ++norm) add({4 * width});
      }
    }
    add({1000, 2048});
  }
  return entries;
}

std::vector<std::uint64_t> bytes_of_ranks(const std::vector<Entry>& entries,
                                          std::uint64_t text_bytes, int world) {
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(world));
  bytes[0] = text_bytes;
  for (const Piece& piece : plan(entries, text_bytes, world)) {
    bytes.at(static_cast<std::size_t>(piece.rank)) +=
        static_cast<std::uint64_t>(piece.rows) * entries[piece.entry].row_bytes();
  }
  return bytes;
}

TEST(Plan, EachRankWritesTheSameWithinTwoPercentUpTo64) {
  const std::vector<Entry> entries = resnet152();
  for (int world = 1; world <= 64; ++world) {
    const std::vector<std::uint64_t> bytes = bytes_of_ranks(entries, 7 * kTextCapacity, world);
    const double mean =
        static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0})) / world;
    EXPECT_LE(static_cast<double>(*std::max_element(bytes.begin(), bytes.end())), 1.02 * mean)
        << world;
  }
}

TEST(Plan, EachRowIsInExactlyOnePieceForAnyWorld) {
  std::vector<Entry> entries{{"/a", DType::i64, {}},         {"/b", DType::f32, {0, 3}},
                             {"/c", DType::f32, {2, 40000}}, {"/d", DType::u8, {1, 900000}},
                             {"/e", DType::f32, {1001}},     {"/f", DType::f32, {77777}},
                             {"/g", DType::f32, {5, 0}},     {"/h", DType::f32, {3, 70000}}};
  for (int world = 1; world <= 70; ++world) {
    std::vector<std::int64_t> next(entries.size(), 0);
    std::vector<int> pieces(entries.size(), 0);
    int last_rank = 0;
    for (const Piece& piece : plan(entries, kTextCapacity, world)) {
      EXPECT_EQ(piece.start, next[piece.entry]);
      EXPECT_GE(piece.rank, last_rank);
      EXPECT_LT(piece.rank, world);
      last_rank = piece.rank;
      next[piece.entry] += piece.rows;
      ++pieces[piece.entry];
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(next[i], entries[i].rows()) << entries[i].path << " world " << world;
      EXPECT_GE(pieces[i], 1) << entries[i].path << " world " << world;
    }
  }
}

TEST(Plan, KeepsTensorsUnder64KiBWhole) {
  std::vector<Entry> entries;
  for (int i = 0; i < 400; ++i)
    entries.push_back({"/t" + std::to_string(i), DType::f32, {16, 1000}});
  const std::vector<Piece> pieces = plan(entries, 0, 7);
  EXPECT_EQ(pieces.size(), entries.size());
}

TEST(Plan, GivesPerRankTensorsToEveryRank) {
  const std::vector<Entry> entries{{"/random/words", DType::u8, {100}, Spread::per_rank}};
  EXPECT_EQ(plan(entries, 0, 3),
            (std::vector<Piece>{{0, 0, 0, 100}, {0, 1, 0, 100}, {0, 2, 0, 100}}));
}

TEST(Plan, LeavesTheTextsAloneWithRankZeroWhereTheyAreMoreThanAShare) {
  const std::vector<Entry> entries{{"/a", DType::f32, {1000, 100}}};
  const std::vector<std::uint64_t> bytes = bytes_of_ranks(entries, 7 * kTextCapacity, 5);
  EXPECT_EQ(bytes, (std::vector<std::uint64_t>{7 * kTextCapacity, 100000, 100000, 100000, 100000}));
}

}  // namespace
}  // namespace lockstep::checkpoint
