#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/config/example.hpp"

namespace lockstep::config {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Override, WinsOverTheFileAndTheLastOneOverTheOthers) {
  Example example;
  EXPECT_EQ(example.read("train:\n  steps: 3\n", {"train.steps=4", "train.steps=1e3"}), "");
  EXPECT_EQ(example.steps, 1000);
}

TEST(Override, TakesTextWordForWord) {
  for (const std::string text : {"no", "*.jpg", "%x", "a: b # c", "\"quoted\"", "x=y", "", " a"}) {
    Example example;
    EXPECT_EQ(example.read("", {"run.name=" + text, "data.path=" + text}), "");
    EXPECT_EQ(example.name, text);
    EXPECT_EQ(example.path, text);
  }
}

TEST(Override, ReadsListsAsYaml) {
  Example example;
  EXPECT_EQ(
      example.read("", {"data.mean=[0.1, 0.2]", "run.tags=[a, no, '*']", "schedule.milestones=[]"}),
      "");
  EXPECT_EQ(example.mean, (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(example.tags, (std::vector<std::string>{"a", "no", "*"}));
  EXPECT_TRUE(example.milestones.empty());
}

TEST(Override, IsAsStrictAsTheFile) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"train.steps=0010", "train.steps: expected an integer, got 0010 with a leading zero"},
      {"train.steps=", "train.steps: expected an integer, got nothing"},
      {"train.steps=0", "train.steps: must be at least 1, not 0"},
      {"train.micro_batch=0", "train.micro_batch: must be at least 1, not 0"},
      {"data.flip=1", "data.flip: expected a boolean"},
      {"data.mean=0.5", "data.mean: expected a list of numbers"},
      {"data.mean=[0.5", "not YAML: "},
      {"optimizer.learning_rate=nan",
       "optimizer.learning_rate: expected a number, got 'nan'; it must be finite"},
      {"optimizer.kind=adam", "optimizer.kind: must be one of sgd | lars"},
      {"train.learning_rate=1",
       "unknown key train.learning_rate; did you mean optimizer.learning_rate?"},
      {"train.micro-batch=1", "unknown key train.micro-batch; did you mean train.micro_batch?"},
      {"train=1", "train is a section: name a key in it"},
      {"train.steps", "write it as section.key=value"},
      {"=3", "write it as section.key=value"},
  };
  for (const auto& [text, message] : cases) {
    Example example;
    const std::string before = example.schema.print();
    EXPECT_THAT(example.read("", {text}), StartsWith("--set " + text + ": " + message));
    EXPECT_EQ(example.schema.print(), before);
  }
}

TEST(Override, DoesNotHideWhatIsWrongInTheFile) {
  Example example;
  EXPECT_THAT(example.read("train:\n  steps: x\n", {"train.steps=4"}),
              HasSubstr("c.yaml:2: train.steps"));
}

}  // namespace
}  // namespace lockstep::config
