#include "config/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "unit/config/example.hpp"

namespace lockstep::config {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Schema, ReadsEveryTypeOfKey) {
  Example example;
  EXPECT_EQ(example.read("run:\n  name: two words\n  tags: [a, 'b c', 3]\n"
                         "train:\n  steps: 7\n  micro_batch: 4\n  precision: bf16\n"
                         "data:\n  path: /data/x y\n  flip: yes\n  mean:\n    - 0.5\n    - 0.25\n"
                         "optimizer: {kind: lars, clip: auto}\n"
                         "schedule:\n  warmup:\n    start: 0.5\n  milestones: []\n"),
            "");
  EXPECT_EQ(example.name, "two words");
  EXPECT_EQ(example.tags, (std::vector<std::string>{"a", "b c", "3"}));
  EXPECT_EQ(example.steps, 7);
  EXPECT_EQ(example.micro_batch, 4);
  EXPECT_EQ(example.precision, Precision::bf16);
  EXPECT_EQ(example.path, "/data/x y");
  EXPECT_TRUE(example.flip);
  EXPECT_EQ(example.mean, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(example.kind, "lars");
  EXPECT_EQ(example.clip, std::nullopt);
  EXPECT_EQ(example.warm_start, 0.5);
  EXPECT_TRUE(example.milestones.empty());
  EXPECT_EQ(example.seed, 1);
}

TEST(Schema, ReportsAllProblemsAtOnceInTheOrderOfTheText) {
  Example example;
  EXPECT_EQ(
      example.read("train:\n  steps: many\n  seed: 1\n  seed: 2\ndata:\n  flip: 3\n  stepz: 1\n",
                   {"train.seed=x"}),
      "c.yaml:2: train.steps: expected an integer, got 'many'\n"
      "c.yaml:4: duplicate key train.seed: line 3 has it already, line 4 again\n"
      "c.yaml:6: data.flip: expected a boolean (true, false, yes, no, on, off), got '3'\n"
      "c.yaml:7: unknown key data.stepz; did you mean train.steps?\n"
      "--set train.seed=x: train.seed: expected an integer, got 'x'\n");
}

TEST(Schema, ThrowsOneUsageErrorWithALineForEachProblem) {
  EXPECT_NO_THROW(throw_if_any({}));
  try {
    throw_if_any({{"c.yaml:1", "one"}, {"--set a.b=c", "two"}});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "c.yaml:1: one\n--set a.b=c: two");
  }
}

TEST(Schema, AWrongTypeNamesTheExpectedOneAndLeavesTheDefault) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"train: {steps: [1]}", "train.steps: expected an integer, got a list"},
      {"train: {steps: {a: 1}}", "train.steps: expected an integer, got a section"},
      {"train: {steps: }", "train.steps: expected an integer, got nothing"},
      {"train: {steps: \"5\"}",
       "train.steps: expected an integer, got the text '5'; write it without quotes"},
      {"train: {micro_batch: some}",
       "train.micro_batch: expected an integer, got 'some' (or auto)"},
      {"run: {name: [a]}", "run.name: expected a text, got a list"},
      {"run: {name: null}", "run.name: expected a text, got nothing; quote it"},
      {"run: {tags: a}", "run.tags: expected a list of texts such as [a, b], got 'a'"},
      {"data: {mean: 0.5}", "data.mean: expected a list of numbers such as [a, b], got '0.5'"},
      {"data: {mean: [0.5, [1]]}", "data.mean: item 2: expected a number, got a list"},
      {"data: {mean: [0.5, ~]}", "data.mean: item 2: expected a number, got nothing"},
      {"train: {precision: fp8}", "train.precision: must be one of fp32 | bf16 | off, not 'fp8'"},
      {"train: {precision: [fp32]}", "train.precision: expected a text, got a list"},
      {"optimizer: {kind: adam}", "optimizer.kind: must be one of sgd | lars, not 'adam'"},
      {"train: 3", "train is a section, got '3': write its keys below it, indented"},
      {"schedule: {warmup: [1]}", "schedule.warmup is a section, got a list"},
  };
  for (const auto& [text, message] : cases) {
    Example example;
    const std::string before = example.schema.print();
    EXPECT_THAT(example.read(text + "\n"), StartsWith("c.yaml:1: " + message)) << text;
    EXPECT_EQ(example.schema.print(), before) << text;
  }
}

TEST(Schema, ANumberMustBeFiniteAndFitADouble) {
  for (const std::string text :
       {".nan", ".inf", "-.inf", "nan", "inf", "Infinity", "1e999", "-1e999", "1e-999"}) {
    Example example;
    EXPECT_THAT(example.read("optimizer:\n  learning_rate: " + text + "\n"),
                StartsWith("c.yaml:2: optimizer.learning_rate: expected a number, got"))
        << text;
    EXPECT_EQ(example.learning_rate, 0.1);
  }
}

TEST(Schema, LimitsNameTheValueAndTheLimit) {
  Example example;
  EXPECT_EQ(example.read("train:\n  steps: 0\n  seed: 2e18\n  micro_batch: 0\n"
                         "optimizer:\n  learning_rate: 0\ndata:\n  mean: [0.5, 1]\n"),
            "c.yaml:2: train.steps: must be at least 1, not 0\n"
            "c.yaml:3: train.seed: must be at most 1e+18, not 2000000000000000000\n"
            "c.yaml:4: train.micro_batch: must be at least 1, not 0\n"
            "c.yaml:6: optimizer.learning_rate: must be above 0, not 0\n"
            "c.yaml:8: data.mean: item 2 must be below 1, not 1\n");
}

TEST(Schema, AnEmptyTextOrSectionMeansDefaults) {
  for (const std::string text :
       {"", "\n\n", "# nothing\n", "---\n", "train:\ndata:\n  # flip: true\n"}) {
    Example example;
    EXPECT_EQ(example.read(text), "") << text;
    EXPECT_EQ(example.steps, 100);
  }
  Example example;
  EXPECT_THAT(example.read("just words\n"),
              StartsWith("c.yaml:1: expected sections with keys, got 'just words'"));
  EXPECT_THAT(example.read("- a\n- b\n"),
              StartsWith("c.yaml:1: expected sections with keys, got a list"));
}

TEST(Schema, ARequiredKeyMayComeFromTheFileOrAnOverride) {
  std::string dir;
  Schema schema;
  schema.add("run.dir", dir, "Where the run lives.").required();
  ASSERT_EQ(schema.read_text("", "c.yaml", {}).size(), 1u);
  EXPECT_EQ(schema.read_text("", "c.yaml", {})[0].where, "c.yaml");
  EXPECT_EQ(schema.read_text("", "c.yaml", {})[0].message,
            "run.dir must be given: Where the run lives.");
  EXPECT_TRUE(schema.read_text("run: {dir: a}", "c.yaml", {}).empty());
  EXPECT_TRUE(schema.read_text("", "c.yaml", {"run.dir=b"}).empty());
  EXPECT_EQ(dir, "b");
}

TEST(Schema, TellsWhereAValueCameFrom) {
  Example example;
  EXPECT_EQ(example.read("train:\n  seed: 3\n  steps: 4\n", {"train.steps=5"}), "");
  EXPECT_EQ(example.schema.where("train.seed"), "c.yaml:2");
  EXPECT_EQ(example.schema.where("train.steps"), "--set train.steps=5");
  EXPECT_EQ(example.schema.where("run.name"), "c.yaml");
  EXPECT_TRUE(example.schema.is_given("train.steps"));
  EXPECT_FALSE(example.schema.is_given("run.name"));
  EXPECT_THROW(static_cast<void>(example.schema.where("run.nam")), Error);
}

TEST(Schema, RefusesDeclarationsThatContradictEachOther) {
  Example example;
  std::int64_t other = 0;
  EXPECT_THROW(example.schema.add("train.steps", other, "Again."), Error);
  EXPECT_THROW(example.schema.add("train.steps.more", other, "Below a key."), Error);
  EXPECT_THROW(example.schema.add("schedule.warmup", other, "A section."), Error);
  EXPECT_THROW(example.schema.add("steps", other, "No section."), Error);
  bool flag = false;
  EXPECT_THROW(example.schema.add("train.flag", flag, "A flag.").at_least(1), Error);
}

TEST(Schema, WorksAfterAMove) {
  std::int64_t steps = 1;
  Schema first;
  first.add("train.steps", steps, "Steps.").at_least(1);
  Schema schema = std::move(first);
  EXPECT_TRUE(schema.read_text("train: {steps: 5}", "c.yaml", {}).empty());
  EXPECT_EQ(steps, 5);
  EXPECT_EQ(schema.read_text("train: {steps: 0}", "c.yaml", {}).size(), 1u);
}

class SchemaFile : public testing::Test {
 protected:
  SchemaFile() : folder_(testing::TempDir() + "/lockstep-config-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~SchemaFile() override { std::filesystem::remove_all(folder_); }

  std::string error_of(const std::filesystem::path& file) {
    Example example;
    try {
      static_cast<void>(example.schema.read(file, {}));
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage ? error.what() : "another kind";
    }
    return "";
  }

  std::filesystem::path folder_;
};

TEST_F(SchemaFile, IsReadAndNamedInProblems) {
  const auto file = folder_ / "c.yaml";
  std::ofstream(file) << "train:\n  steps: 8\n  sed: 1\n";
  Example example;
  const auto problems = example.schema.read(file, {});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].where, file.string() + ":3");
  EXPECT_EQ(example.steps, 8);
}

TEST_F(SchemaFile, ThatIsMissingOrAFolderOrHugeIsAUsageError) {
  EXPECT_THAT(error_of(folder_ / "none.yaml"),
              HasSubstr("none.yaml: the configuration cannot be opened: No such file"));
  EXPECT_THAT(error_of(folder_), HasSubstr("is a folder"));
  std::ofstream(folder_ / "data.bin") << std::string(2 << 20, 'x');
  EXPECT_THAT(error_of(folder_ / "data.bin"), HasSubstr("data.bin: has 2097152 bytes"));
}

}  // namespace
}  // namespace lockstep::config
