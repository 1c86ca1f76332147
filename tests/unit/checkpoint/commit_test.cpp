#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "checkpoint/manifest.hpp"
#include "core/error.hpp"
#include "os/file.hpp"
#include "runs.hpp"
#include "support/temp_folder.hpp"

namespace lockstep {
namespace {

using checkpoint::Checkpointer;
using checkpoint::Saveable;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Commit, LeavesTheStepAndAHintAndNothingElse) {
  const test::TempFolder folder;
  test::expect_saved(2, folder.path() / "run", 12);
  EXPECT_THAT(os::list_folder(folder.path() / "run"), ElementsAre("LATEST", "step-000000012"));
  EXPECT_EQ(os::read_text(folder.path() / "run/LATEST"), "step-000000012\n");
  EXPECT_THAT(os::list_folder(folder.path() / "run/step-000000012"),
              ElementsAre("MANIFEST.json", "shard-00000-of-00002.h5", "shard-00001-of-00002.h5"));
}

TEST(Commit, SweepsWhatEarlierAttemptsLeftButNothingOfTheUsers) {
  const test::TempFolder folder;
  for (const char* name :
       {"step-000000003.tmp-old", "step-000000012.tmp-t", ".trash-step-000000001-old",
        "step-000000003.bad-old", "step-3.tmp-mine", "best"}) {
    std::filesystem::create_directory(folder.path() / name);
    std::ofstream(folder.path() / name / "file") << "x";
  }
  test::expect_saved(2, folder.path(), 12);
  EXPECT_THAT(
      os::list_folder(folder.path()),
      ElementsAre("LATEST", "best", "step-000000003.bad-old", "step-000000012", "step-3.tmp-mine"));
}

TEST(Commit, AStepThatVerifiesIsNeverWrittenAgain) {
  const test::TempFolder folder;
  test::expect_saved(2, folder.path(), 12);
  const auto before =
      std::filesystem::last_write_time(folder.path() / "step-000000012/shard-00001-of-00002.h5");
  test::expect_saved(3, folder.path(), 12);
  EXPECT_EQ(
      std::filesystem::last_write_time(folder.path() / "step-000000012/shard-00001-of-00002.h5"),
      before);
  test::expect_loads(2, folder.path(), 12, 2);
}

TEST(Commit, AStepThatDoesNotVerifyIsMovedAsideAndSavedAgain) {
  const test::TempFolder folder;
  test::expect_saved(2, folder.path(), 12);
  std::fstream shard(folder.path() / "step-000000012/shard-00001-of-00002.h5",
                     std::ios::in | std::ios::out);
  shard.seekp(100000);
  shard.put('\x7E').put('\x1D');
  shard.close();
  test::expect_saved(2, folder.path(), 12);
  test::expect_loads(2, folder.path(), 12, 2);
  EXPECT_THAT(os::list_folder(folder.path()),
              ElementsAre("LATEST", "step-000000012", "step-000000012.bad-t"));
}

/// Cannot be saved on rank 1.
class Failing final : public Saveable {
 public:
  explicit Failing(int rank) : rank_(rank) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "failing"; }
  void before_save() override {
    if (rank_ == 1) throw Error(ErrorKind::environment, "the device is gone");
  }
  void after_load(std::string_view /*text*/, checkpoint::Restored /*how*/) override {}

 private:
  int rank_;
};

TEST(Commit, WhatOneRankCannotDoAllRanksThrow) {
  const test::TempFolder folder;
  const auto thrown = test::run_ranks(3, [&](checkpoint::Group& group) {
    Failing failing(group.rank());
    const std::array<Saveable*, 1> state{&failing};
    Checkpointer(folder.path(), group, "t").save(test::facts_of(4), state);
  });
  EXPECT_THAT(thrown, Each("the checkpoint of step 4 was not saved: rank 1: the device is gone"));
  EXPECT_TRUE(os::list_folder(folder.path()).empty());
}

TEST(Commit, RanksWithDifferentTensorsAreAnError) {
  const test::TempFolder folder;
  const auto thrown = test::run_ranks(2, [&](checkpoint::Group& group) {
    test::Part part("model");
    part.add(group.rank() == 0 ? "a" : "b", DType::f32, {4}, 1);
    const std::array<Saveable*, 1> state{&part};
    Checkpointer(folder.path(), group, "t").save(test::facts_of(4), state);
  });
  EXPECT_THAT(thrown, Each(HasSubstr("rank 1 has other tensors")));
  EXPECT_TRUE(os::list_folder(folder.path()).empty());
}

TEST(Commit, TwoThingsOfOneNameAreRefused) {
  const test::TempFolder folder;
  checkpoint::Alone alone;
  test::Part part("model");
  part.add("state", DType::f32, {4}, 1);
  const std::array<Saveable*, 1> state{&part};
  Checkpointer checkpointer(folder.path(), alone, "t");
  EXPECT_THROW(checkpointer.save(test::facts_of(4), state), Error);
}

}  // namespace
}  // namespace lockstep
