#include "train/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.hpp"
#include "support/temp_folder.hpp"

namespace lockstep::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kGood =
    "run: {name: example}\n"
    "data: {format: synthetic, image_size: 8}\n"
    "train: {global_batch: 12, steps: 6}\n";

class SettingsFile : public testing::Test {
 protected:
  std::filesystem::path write(std::string_view text) const {
    const auto path = folder_.path() / "config.yaml";
    std::ofstream(path) << text;
    return path;
  }
  // What is wrong with `text`; "" if nothing is.
  std::string complaint(std::string_view text, const std::vector<std::string>& set = {}) const {
    Settings settings;
    try {
      settings.read(write(text), set);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "";
  }
  // The good file with overrides.
  std::string with(const std::vector<std::string>& set) const { return complaint(kGood, set); }

  test::TempFolder folder_;
};

TEST_F(SettingsFile, ThatIsGoodIsRead) {
  Settings settings;
  settings.read(write(kGood), {"train.steps=9", "optimizer.name=adamw", "train.precision=bf16"});
  EXPECT_EQ(settings.train.global_batch, 12);
  EXPECT_EQ(settings.train.steps, 9);
  EXPECT_EQ(settings.optimizer.name, OptimizerName::adamw);
  EXPECT_EQ(settings.train.precision, Precision::bf16);
  EXPECT_EQ(settings.train.micro_batch, std::nullopt);
  EXPECT_EQ(settings.run_directory(), std::filesystem::path("checkpoints/example"));
}

TEST_F(SettingsFile, ThatIsPrintedReadsAsTheSame) {
  Settings first;
  first.read(write(kGood), {"train.micro_batch=3", "data.mean=[0.1, 0.2, 0.3]", "train.threads=2",
                            "optimizer.learning_rate=0.30000000000000004", "schedule.name=cosine",
                            "model.sync_batch_norm=true", "comm.piece_kib=64"});
  Settings second;
  second.read(write(first.schema().print()), {});
  EXPECT_EQ(second.schema().print(), first.schema().print());
  EXPECT_EQ(second.hash(), first.hash());
  EXPECT_EQ(second.optimizer.learning_rate, 0.30000000000000004);
  EXPECT_EQ(second.train.micro_batch, 3);
}

TEST_F(SettingsFile, HasAnotherHashWhereASettingDiffers) {
  Settings first;
  first.read(write(kGood), {});
  Settings second;
  second.read(write(kGood), {"optimizer.momentum=0.8"});
  EXPECT_NE(first.hash(), second.hash());
}

TEST_F(SettingsFile, NeedsAGlobalBatch) {
  EXPECT_THAT(complaint("data: {format: synthetic, image_size: 8}\ntrain: {steps: 6}\n"),
              HasSubstr("train.global_batch"));
}

TEST_F(SettingsFile, NeedsExactlyOneOfEpochsAndSteps) {
  EXPECT_THAT(with({"train.epochs=2"}), AllOf(HasSubstr("train.epochs"), HasSubstr("train.steps")));
  EXPECT_THAT(with({"train.steps=0"}), HasSubstr("train.epochs"));
  EXPECT_EQ(with({"train.steps=0", "train.epochs=2"}), "");
}

TEST_F(SettingsFile, NeedsAPlainNameForTheRun) {
  for (const char* name : {"run.name=a/b", "run.name=../other", "run.name=.hidden"})
    EXPECT_THAT(with({name}), HasSubstr("run.name")) << name;
  EXPECT_EQ(with({"run.name=resnet-50_v1.5"}), "");
}

TEST_F(SettingsFile, RefusesAMicroBatchAboveTheGlobalOne) {
  EXPECT_THAT(with({"train.micro_batch=13"}), AllOf(HasSubstr("13"), HasSubstr("12")));
  EXPECT_EQ(with({"train.micro_batch=12"}), "");
}

TEST_F(SettingsFile, RefusesNesterovWithoutMomentum) {
  EXPECT_EQ(with({"optimizer.nesterov=true"}), "");
  EXPECT_THAT(with({"optimizer.nesterov=true", "optimizer.momentum=0"}),
              HasSubstr("optimizer.nesterov"));
  EXPECT_THAT(with({"optimizer.nesterov=true", "optimizer.name=adam"}),
              HasSubstr("optimizer.nesterov"));
}

TEST_F(SettingsFile, ChecksWhatTheDataNeed) {
  EXPECT_THAT(complaint("train: {global_batch: 12, steps: 6}\n"), HasSubstr("data.path"));
  EXPECT_THAT(with({"data.mean=[0.5]"}), HasSubstr("data.channels"));
}

TEST_F(SettingsFile, SuggestsTheKeyThatWasMeant) {
  const std::string typo = complaint(std::string(kGood) + "optimizer: {learning_rat: 0.1}\n");
  EXPECT_THAT(typo, AllOf(HasSubstr("learning_rat"), HasSubstr("optimizer.learning_rate")));
  EXPECT_THAT(typo, HasSubstr("config.yaml:4"));
  EXPECT_THAT(complaint(std::string(kGood) + "learning_rate: 0.1\n"),
              HasSubstr("optimizer.learning_rate"));
  EXPECT_THAT(complaint(std::string(kGood) + "optimizer: {weigth_decay: 1}\n"),
              HasSubstr("optimizer.weight_decay"));
  EXPECT_THAT(with({"train.step=4"}), HasSubstr("train.steps"));
}

TEST_F(SettingsFile, ListsEverythingThatIsWrongAtOnce) {
  const std::string text = complaint(std::string(kGood) +
                                     "optimizer: {learning_rate: -1, momentum: 1, name: sdg}\n"
                                     "model: {name: resnet19}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("optimizer.learning_rate"), HasSubstr("optimizer.momentum"),
                          HasSubstr("sgd"), HasSubstr("resnet19")));
}

TEST_F(SettingsFile, IsNotBlamedTwiceForOneMistake) {
  EXPECT_THAT(with({"train.steps=many"}), Not(HasSubstr("give one of")));
}

TEST_F(SettingsFile, MayChangeInLengthAndPathsButNotInWhatIsTrained) {
  Settings before;
  before.read(write(kGood), {});
  const auto differences = [&](const std::vector<std::string>& set) {
    Settings now;
    now.read(write(kGood), set);
    return now.schema().fixed_differences(before.schema().print());
  };
  EXPECT_TRUE(
      differences({"train.steps=60", "run.dir=elsewhere", "checkpoint.keep=1",
                   "checkpoint.every_steps=2", "monitor.log_every_s=1", "train.evaluate=false"})
          .empty());
  for (const char* key :
       {"train.global_batch=6", "run.seed=2", "model.name=resnet20", "optimizer.momentum=0.5",
        "train.precision=bf16", "schedule.name=cosine", "comm.bucket_mib=4"}) {
    EXPECT_EQ(differences({key}).size(), 1U) << key;
  }
}

}  // namespace
}  // namespace lockstep::train
