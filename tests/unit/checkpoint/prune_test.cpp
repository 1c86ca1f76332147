#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "os/file.hpp"
#include "runs.hpp"
#include "support/temp_folder.hpp"

namespace lockstep {
namespace {

using checkpoint::Alone;
using checkpoint::Checkpointer;
using testing::ElementsAre;

void save_tiny(const std::filesystem::path& root, std::int64_t step, bool is_finite) {
  Alone alone;
  test::Part part("model");
  part.add("w", DType::f32, {4}, 1);
  const std::array<checkpoint::Saveable*, 1> state{&part};
  checkpoint::Facts facts = test::facts_of(step);
  facts.is_finite = is_finite;
  Checkpointer(root, alone, "t").save(facts, state);
}

TEST(Prune, KeepsTheNewestByNumberAndRemovesLeftovers) {
  const test::TempFolder folder;
  for (const int step : {9900, 10000, 800, 9000}) save_tiny(folder.path(), step, true);
  std::filesystem::create_directory(folder.path() / "step-000000800.tmp-old");
  std::filesystem::create_directory(folder.path() / "step-100.mine");
  const auto thrown = test::run_ranks(
      4, [&](checkpoint::Group& group) { Checkpointer(folder.path(), group, "t").prune(2); });
  EXPECT_THAT(thrown, testing::Each(""));
  EXPECT_THAT(os::list_folder(folder.path()),
              ElementsAre("LATEST", "step-000009900", "step-000010000", "step-100.mine"));
}

TEST(Prune, AStepThatDoesNotVerifyNeitherCountsNorGoes) {
  const test::TempFolder folder;
  for (const int step : {1, 2, 3, 4}) save_tiny(folder.path(), step, true);
  for (const char* step : {"step-000000003", "step-000000004"}) {
    std::filesystem::remove(folder.path() / step / "shard-00000-of-00001.h5");
  }
  Alone alone;
  Checkpointer(folder.path(), alone, "t").prune(1);
  EXPECT_THAT(os::list_folder(folder.path()),
              ElementsAre("LATEST", "step-000000002", "step-000000003", "step-000000004"));
}

TEST(Prune, NeverRemovesTheLastWithFiniteWeights) {
  const test::TempFolder folder;
  for (const int step : {1, 2, 3, 4, 5}) save_tiny(folder.path(), step, step <= 2);
  Alone alone;
  Checkpointer(folder.path(), alone, "t").prune(2);
  EXPECT_THAT(os::list_folder(folder.path()),
              ElementsAre("LATEST", "step-000000002", "step-000000004", "step-000000005"));
}

TEST(Prune, RefusesToKeepNone) {
  const test::TempFolder folder;
  Alone alone;
  EXPECT_THROW(Checkpointer(folder.path(), alone, "t").prune(0), Error);
}

}  // namespace
}  // namespace lockstep
