#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.hpp"
#include "os/file.hpp"
#include "runs.hpp"
#include "support/temp_folder.hpp"

namespace lockstep {
namespace {

using checkpoint::Checkpointer;
using checkpoint::Saveable;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

/// What `state` says when it is loaded from a checkpoint of odd_shapes(1).
std::string mismatch(test::Part& part, ErrorKind kind) {
  const test::TempFolder folder;
  checkpoint::Alone alone;
  test::Part saved = test::odd_shapes(1);
  const std::array<Saveable*, 1> before{&saved};
  Checkpointer checkpointer(folder.path(), alone, "t");
  checkpointer.save(test::facts_of(1), before);
  const std::array<Saveable*, 1> state{&part};
  try {
    checkpointer.load_newest(state);
    return "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
}

TEST(Load, FindsNothingInAnEmptyOrMissingFolder) {
  const test::TempFolder folder;
  EXPECT_THAT(test::load_errors(2, folder.path()), Each(""));
  EXPECT_THAT(test::load_errors(2, folder.path() / "missing"), Each(""));
}

TEST(Load, ASaveThatNeverCommittedIsNoCheckpoint) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder.path() / "step-000000020.tmp-dead");
  EXPECT_THAT(test::load_errors(2, folder.path()), Each(""));
}

TEST(Load, BytesWithoutAUsableCheckpointAreAnErrorThatListsThem) {
  const test::TempFolder folder;
  test::expect_saved(2, folder.path(), 10);
  std::filesystem::remove(folder.path() / "step-000000010/MANIFEST.json");
  std::filesystem::create_directory(folder.path() / "step-000000020");
  EXPECT_THAT(test::load_errors(3, folder.path()),
              Each(AllOf(HasSubstr("none that can be used"),
                         HasSubstr("step-000000010: there is no MANIFEST.json"),
                         HasSubstr("step-000000020"))));
}

TEST(Load, AStepThatWasMovedAsideIsNotForgotten) {
  const test::TempFolder folder;
  std::filesystem::create_directory(folder.path() / "step-000000020.bad-x");
  EXPECT_THAT(test::load_errors(2, folder.path()), Each(HasSubstr("step-000000020.bad-x")));
}

TEST(Load, TakesTheHighestNumberWhateverLatestSays) {
  const test::TempFolder folder;
  for (const int step : {9900, 10000, 200}) test::expect_saved(2, folder.path(), step);
  std::ofstream(folder.path() / "LATEST") << "step-000009900\n";
  test::expect_loads(2, folder.path(), 10000, 2);
}

TEST(Load, NamesTensorsThatDoNotMatch) {
  test::Part part("model");
  part.add("scalar", DType::i64, {}, 1);
  part.add("fc.weight", DType::f32, {10, 513}, 1);
  part.add("module.layer1.weight", DType::f32, {67, 257}, 1);
  EXPECT_THAT(mismatch(part, ErrorKind::usage),
              AllOf(HasSubstr("matched 2 of 4"),
                    HasSubstr("missing in the checkpoint (1): /model/module.layer1.weight"),
                    HasSubstr("not in this run (10): /model/bytes"),
                    HasSubstr("/model/fc.weight is f32 [1001, 513] there and f32 [10, 513] here")));
}

TEST(Load, AFolderUnderAnotherStepsNameIsRefused) {
  const test::TempFolder folder;
  test::expect_saved(1, folder.path(), 10);
  std::filesystem::rename(folder.path() / "step-000000010", folder.path() / "step-000000020");
  EXPECT_THAT(test::load_errors(1, folder.path()), Each(HasSubstr("is of step 10")));
}

TEST(Load, ExactlyTheStepAskedForOrAnError) {
  const test::TempFolder folder;
  for (const int step : {1, 2}) test::expect_saved(1, folder.path(), step);
  checkpoint::Alone alone;
  Checkpointer checkpointer(folder.path(), alone, "t");
  test::Part model = test::odd_shapes(9);
  test::Part random = test::own_state(0, 9);
  const std::array<Saveable*, 2> state{&model, &random};
  EXPECT_EQ(checkpointer.load(folder.path() / "step-000000001", state).facts.step, 1);
  EXPECT_EQ(model.text_, "{\"seed\": 1}");
  EXPECT_EQ(checkpointer.newest(), folder.path() / "step-000000002");
  EXPECT_THROW(checkpointer.load(folder.path() / "step-000000003", state), Error);
}

TEST(Load, WhatASaveableCannotTakeIsThrownByAllRanks) {
  class Picky final : public Saveable {
   public:
    explicit Picky(int rank) : rank_(rank) {}
    [[nodiscard]] std::string_view name() const noexcept override { return "picky"; }
    void after_load(std::string_view /*text*/, checkpoint::Restored /*how*/) override {
      if (rank_ == 1) throw Error(ErrorKind::environment, "the device is gone");
    }

   private:
    int rank_;
  };
  const test::TempFolder folder;
  const auto thrown = test::run_ranks(3, [&](checkpoint::Group& group) {
    Picky picky(group.rank());
    const std::array<Saveable*, 1> state{&picky};
    Checkpointer checkpointer(folder.path(), group, "t");
    checkpointer.save(test::facts_of(1), state);
    checkpointer.load_newest(state);
  });
  EXPECT_THAT(thrown, Each(HasSubstr("rank 1: the device is gone")));
}

}  // namespace
}  // namespace lockstep
