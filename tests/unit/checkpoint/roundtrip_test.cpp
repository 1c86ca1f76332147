#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>

#include "core/error.hpp"
#include "os/file.hpp"
#include "runs.hpp"
#include "support/temp_folder.hpp"

namespace lockstep {
namespace {

using checkpoint::Checkpointer;
using checkpoint::Group;
using checkpoint::Saveable;

TEST(Roundtrip, AnyNumberOfRanksLoadsWhatAnyNumberSaved) {
  for (const int saved_by : {1, 2, 3, 5}) {
    const test::TempFolder folder;
    test::expect_saved(saved_by, folder.path(), 7);
    for (const int world : {1, 2, 3, 4}) test::expect_loads(world, folder.path(), 7, saved_by);
  }
}

TEST(Roundtrip, Bfloat16WordsComeBackBitForBit) {
  const test::TempFolder folder;
  const std::vector<std::uint16_t> words{0x3F80, 0x7FC0, 0x7FA1, 0xFFFF,
                                         0xFF80, 0x0001, 0x8000, 0x8001};
  checkpoint::Alone alone;
  test::Part part("model");
  part.add("w", {8}, words, DType::bf16);
  const auto before = part.memory();
  const std::array<Saveable*, 1> state{&part};
  Checkpointer checkpointer(folder.path(), alone, "t");
  checkpointer.save(test::facts_of(1), state);
  part.clear();
  ASSERT_TRUE(checkpointer.load_newest(state).has_value());
  EXPECT_TRUE(std::equal(before[0].begin(), before[0].end() - 1, part.memory()[0].begin()));
}

TEST(Roundtrip, TextsOfUpTo60KiBAreKeptAndLongerOnesRefused) {
  const test::TempFolder folder;
  checkpoint::Alone alone;
  Checkpointer checkpointer(folder.path(), alone, "t");
  const std::string largest(std::size_t{60} << 10U, 'x');
  test::Part part("cursor", largest);
  const std::array<Saveable*, 1> state{&part};
  checkpointer.save(test::facts_of(1), state);
  part.clear();
  checkpointer.load_newest(state);
  EXPECT_EQ(part.text_, largest);
  part.text_ += 'x';
  EXPECT_THROW(checkpointer.save(test::facts_of(2), state), Error);
}

TEST(Roundtrip, EqualStatesGiveEqualShards) {
  const test::TempFolder folder;
  test::expect_saved(2, folder.path() / "a", 5);
  test::expect_saved(2, folder.path() / "b", 5);
  for (const char* name : {"shard-00000-of-00002.h5", "shard-00001-of-00002.h5", "MANIFEST.json"}) {
    EXPECT_EQ(os::read_text(folder.path() / "a/step-000000005" / name),
              os::read_text(folder.path() / "b/step-000000005" / name));
  }
}

TEST(Roundtrip, ChannelsLastWeightsAreRowMajorInTheFile) {
  const test::TempFolder folder;
  checkpoint::Alone alone;
  Checkpointer checkpointer(folder.path(), alone, "t");
  test::Part last("model");
  last.add("conv", DType::f32, {64, 32, 3, 3}, 1);
  last.views()[0].strides = {288, 1, 96, 32};
  const auto memory = last.memory();
  const std::array<Saveable*, 1> state{&last};
  checkpointer.save(test::facts_of(1), state);

  test::Part first("model");
  first.add("conv", DType::f32, {64, 32, 3, 3}, 2);
  const std::array<Saveable*, 1> row_major{&first};
  checkpointer.load_newest(row_major);
  const auto* in_file = reinterpret_cast<const float*>(first.memory()[0].data());
  const auto* live = reinterpret_cast<const float*>(memory[0].data());
  // Element [5, 7, 2, 1], as words: random bytes may be NaN.
  EXPECT_EQ(std::memcmp(in_file + 5 * 288 + 7 * 9 + 2 * 3 + 1, live + 5 * 288 + 7 + 2 * 96 + 32, 4),
            0);

  last.clear();
  checkpointer.load_newest(state);
  EXPECT_TRUE(std::equal(memory[0].begin(), memory[0].end() - 1, last.memory()[0].begin()));
}

TEST(Roundtrip, MoreThan5000TensorsAndALongConfigurationFit) {
  const test::TempFolder folder;
  const auto thrown = test::run_ranks(2, [&](Group& group) {
    test::Part part("model");
    for (int i = 0; i < 5500; ++i)
      part.add("block." + std::to_string(i) + ".bias", DType::f32, {8}, 3);
    const std::array<Saveable*, 1> state{&part};
    checkpoint::Facts facts = test::facts_of(9);
    facts.config = std::string(70000, 'c');
    Checkpointer checkpointer(folder.path(), group, "t");
    checkpointer.save(facts, state);
    const auto before = part.memory();
    part.clear();
    const auto loaded = checkpointer.load_newest(state);
    if (!loaded || loaded->facts.config != facts.config)
      throw std::runtime_error("another configuration");
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!std::equal(before[i].begin(), before[i].end() - 1, part.memory()[i].begin())) {
        throw std::runtime_error("other bytes");
      }
    }
  });
  EXPECT_THAT(thrown, testing::Each(""));
}

TEST(Roundtrip, AHundredShardsAreReadWith64OpenFiles) {
  const test::TempFolder folder;
  const auto tiny = [] {
    test::Part part("model");
    part.add("w", DType::f32, {300, 100}, 4);
    return part;
  };
  const auto saved = test::run_ranks(100, [&](Group& group) {
    test::Part part = tiny();
    const std::array<Saveable*, 1> state{&part};
    Checkpointer(folder.path(), group, "t").save(test::facts_of(1), state);
  });
  EXPECT_THAT(saved, testing::Each(""));

  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  checkpoint::Alone alone;
  test::Part part = tiny();
  const auto expected = part.memory();
  part.clear();
  const std::array<Saveable*, 1> state{&part};
  EXPECT_NO_THROW(
      EXPECT_TRUE(Checkpointer(folder.path(), alone, "t").load_newest(state).has_value()));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(std::equal(expected[0].begin(), expected[0].end() - 1, part.memory()[0].begin()));
}

}  // namespace
}  // namespace lockstep
