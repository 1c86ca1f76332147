#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "unit/config/example.hpp"

// What people met with other tools; the numbers are those of the project's list of cases.
namespace lockstep::config {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(CaseF1, ScientificNotationIsANumber) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, double>>{{"1e-4", 1e-4},
                                                                               {"1.0e-4", 1e-4},
                                                                               {"1E-4", 1e-4},
                                                                               {"5e-5", 5e-5},
                                                                               {"+.5", 0.5},
                                                                               {"3", 3}}) {
    Example example;
    EXPECT_EQ(example.read("optimizer:\n  learning_rate: " + text + "\n"), "");
    EXPECT_EQ(example.learning_rate, value) << text;
  }
}

TEST(CaseF1, AnIntegerMayBeWrittenWithAnExponentIfItIsOneExactly) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, std::int64_t>>{
           {"1e5", 100'000},
           {"2.5e3", 2500},
           {"1.0", 1},
           {"1200e-2", 12},
           {"900719925474099300e1", 9'007'199'254'740'993'000}}) {
    Example example;
    EXPECT_EQ(example.read("train:\n  steps: " + text + "\n"), "");
    EXPECT_EQ(example.steps, value) << text;
  }
  for (const std::string text :
       {"1.5", "1e-1", "2.55e1", "1e19", "9223372036854775808", "1e99999999999", "1e", "e5"}) {
    Example example;
    EXPECT_THAT(example.read("train:\n  steps: " + text + "\n"),
                StartsWith("c.yaml:2: train.steps: expected an integer, got"))
        << text;
    EXPECT_EQ(example.steps, 100);
  }
}

TEST(CaseF2, WordsThatSomeReadersTakeForBooleansStayText) {
  for (const std::string word : {"no", "off", "yes", "y", "on", "True"}) {
    Example example;
    EXPECT_EQ(example.read("run:\n  name: " + word + "\n"), "");
    EXPECT_EQ(example.name, word);
  }
  Example example;
  EXPECT_EQ(example.read("train:\n  precision: off\n"), "");
  EXPECT_EQ(example.precision, Precision::off);
  EXPECT_THAT(example.read("on:\n  y: 1\n"), HasSubstr("unknown section on"));
  EXPECT_THAT(example.read("data:\n  y: 1\n"), HasSubstr("unknown key data.y"));
}

TEST(CaseF2, ABooleanIsOneOfTheDocumentedWords) {
  for (const std::string word : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"}) {
    Example example;
    EXPECT_EQ(example.read("data:\n  flip: " + word + "\n"), "");
    EXPECT_TRUE(example.flip) << word;
  }
  for (const std::string word : {"false", "no", "No", "OFF"}) {
    Example example;
    example.flip = true;
    EXPECT_EQ(example.read("data:\n  flip: " + word + "\n"), "");
    EXPECT_FALSE(example.flip) << word;
  }
  for (const std::string word : {"tRuE", "1", "0", "y", "n", "\"no\"", "maybe", ""}) {
    Example example;
    EXPECT_THAT(example.read("data:\n  flip: " + word + "\n"),
                StartsWith("c.yaml:2: data.flip: expected a boolean"))
        << word;
  }
}

TEST(CaseF3, ADuplicateKeyIsReportedWithBothLines) {
  Example example;
  EXPECT_EQ(example.read("train:\n  steps: 1\n  seed: 2\n  steps: 3\n"),
            "c.yaml:4: duplicate key train.steps: line 2 has it already, line 4 again\n");
}

TEST(CaseF3, DuplicatesAreFoundAtEveryLevel) {
  Example example;
  const std::string problems = example.read(
      "train:\n  steps: 1\n"
      "schedule:\n  warmup:\n    start: 1\n    start: 2\n  warmup: {start: 3, start: 4}\n"
      "train:\n  seed: 1\n");
  EXPECT_THAT(
      problems,
      HasSubstr(
          "c.yaml:6: duplicate key schedule.warmup.start: line 5 has it already, line 6 again\n"));
  EXPECT_THAT(
      problems,
      HasSubstr("c.yaml:7: duplicate key schedule.warmup: line 4 has it already, line 7 again\n"));
  EXPECT_THAT(
      problems,
      HasSubstr(
          "c.yaml:7: duplicate key schedule.warmup.start: line 7 has it already, line 7 again\n"));
  EXPECT_THAT(problems,
              HasSubstr("c.yaml:8: duplicate key train: line 1 has it already, line 8 again\n"));
  EXPECT_THAT(example.read("x:\n  - {a: 1, a: 2}\n"), HasSubstr("c.yaml:2: duplicate key x.a"));
}

TEST(CaseF4, MergeKeysAreResolvedAndOwnKeysWin) {
  Example example;
  EXPECT_EQ(
      example.read(
          "optimizer: {<<: &b {learning_rate: 0.3, weight_decay: 0.4}, learning_rate: 0.5}\n"),
      "");
  EXPECT_EQ(example.learning_rate, 0.5);
  EXPECT_EQ(example.weight_decay, 0.4);
}

TEST(CaseF4, OfAListOfMergedMapsTheEarlierWins) {
  Example example;
  EXPECT_EQ(example.read("optimizer:\n  weight_decay: 9\n  <<: [{clip: 1, kind: lars}, {clip: 2, "
                         "weight_decay: 8, learning_rate: 7}]\n"),
            "");
  EXPECT_EQ(example.clip, 1.0);
  EXPECT_EQ(example.kind, "lars");
  EXPECT_EQ(example.weight_decay, 9);
  EXPECT_EQ(example.learning_rate, 7);
}

TEST(CaseF4, ABaseSectionNobodyKnowsIsStillRefused) {
  Example example;
  const std::string problems = example.read(
      "base: &b {learning_rate: 0.3, wd: 0.2}\noptimizer: {<<: *b, weight_decay: 0.5}\n");
  EXPECT_THAT(problems, HasSubstr("c.yaml:1: unknown section base"));
  EXPECT_THAT(problems, HasSubstr("c.yaml:1: unknown key optimizer.wd"));
  EXPECT_EQ(example.learning_rate, 0.3);
}

TEST(CaseF4, AMergeOfSomethingElseIsRefused) {
  Example example;
  EXPECT_THAT(example.read("train:\n  <<: 3\n"), StartsWith("c.yaml:2: train.<< takes a section"));
  EXPECT_THAT(example.read("train:\n  \"<<\": {seed: 1}\n"), HasSubstr("unknown key train.<<"));
}

TEST(CaseF5, LeadingZerosAreRefusedAlikeForIntegersAndNumbers) {
  for (const std::string text : {"0010", "08", "-007", "010.5", "00"}) {
    Example example;
    const std::string problems =
        example.read("train:\n  steps: " + text + "\noptimizer:\n  weight_decay: " + text + "\n");
    EXPECT_THAT(problems, HasSubstr("c.yaml:2: train.steps: expected an integer, got " + text +
                                    " with a leading zero"));
    EXPECT_THAT(problems, HasSubstr("c.yaml:4: optimizer.weight_decay: expected a number, got " +
                                    text + " with a leading zero"));
  }
  Example example;
  EXPECT_THAT(example.read("train:\n  steps: 0010\n"), HasSubstr("write 10\n"));
  EXPECT_THAT(example.read("train:\n  steps: 00\n"), HasSubstr("write 0\n"));
  EXPECT_EQ(example.read("optimizer:\n  weight_decay: 0.5\ntrain:\n  seed: 0\n"), "");
  EXPECT_EQ(example.read("run:\n  name: 0010\n"), "");
  EXPECT_EQ(example.name, "0010");
}

TEST(CaseF5, OnlyDecimalDigitsAreRead) {
  for (const std::string text : {"0x10", "0o17", "0b11", "1_000", "1,000", "12abc", "--3", "."}) {
    Example example;
    EXPECT_THAT(example.read("train:\n  steps: " + text + "\n"),
                StartsWith("c.yaml:2: train.steps: expected an integer, got"))
        << text;
    EXPECT_THAT(example.read("optimizer:\n  clip: " + text + "\n"),
                StartsWith("c.yaml:2: optimizer.clip: expected a number, got"))
        << text;
  }
}

TEST(CaseF6, AnUnknownKeyComesWithItsLineAndTheNearestKnownOne) {
  const std::vector<std::tuple<std::string, std::string>> cases = {
      {"optimizer:\n  learning_rat: 0.1\n",
       "c.yaml:2: unknown key optimizer.learning_rat; did you mean optimizer.learning_rate?\n"},
      {"\nlearning_rate: 0.1\n",
       "c.yaml:2: unknown key learning_rate; did you mean optimizer.learning_rate?\n"},
      {"train:\n  learning_rate: 0.1\n",
       "c.yaml:2: unknown key train.learning_rate; did you mean optimizer.learning_rate?\n"},
      {"train:\n  micro-batch: 3\n",
       "c.yaml:2: unknown key train.micro-batch; did you mean train.micro_batch?\n"},
      {"train:\n  Steps: 3\n", "c.yaml:2: unknown key train.Steps; did you mean train.steps?\n"},
      {"optimizer:\n  weigth_decay: 3\n",
       "c.yaml:2: unknown key optimizer.weigth_decay; did you mean optimizer.weight_decay?\n"},
      {"optimiser:\n  kind: sgd\n", "c.yaml:1: unknown key optimiser; did you mean optimizer?\n"},
      {"train:\n  optimizer:\n    kind: sgd\n",
       "c.yaml:2: unknown key train.optimizer; did you mean optimizer?\n"},
      {"train.steps: 3\n",
       "c.yaml:1: train.steps: dots do not nest; write steps indented below train:\n"},
      {"data:\n  zzz: 3\n", "c.yaml:2: unknown key data.zzz; data has: path, flip, mean\n"},
  };
  for (const auto& [text, expected] : cases) {
    Example example;
    EXPECT_EQ(example.read(text), expected);
  }
}

TEST(CaseF10, ASyntaxErrorHasLineColumnAndAHint) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"a:\n\tb: 1\n", "c.yaml:2:1: ", "indented with a tab"},
      {"train:\n  steps: 1\n seed: 2\n", "c.yaml:3:2: ", "indentation"},
      {"train:\nsteps: 1\n  seed: 2\n", "c.yaml:3:7: ", "check this line's indentation"},
      {"data:\n  path: *.jpg\n", "c.yaml:2:9: ", "quote values starting with *"},
      {"data:\n  path: %x\n", "c.yaml:2:9: ", "quote values starting with %"},
      {"data:\n  path: @x\n", "c.yaml:2:9: ", "quote values starting with @"},
      {"data:\n  path: \"C:\\data\"\n", "c.yaml:2:", "use single quotes"},
      {"data:\n  path: a: b\n", "c.yaml:2:10: ", "quote values that hold ': '"},
      {"data:\n  mean: [1, 2\n", "c.yaml:3:1: ", "a '[' is not closed"},
      {"run:\n  name: \"abc\n", "c.yaml:3:", "a quote above is not closed"},
      {"run:\n  name: 'abc\ntrain:\n  steps: 3\n", "c.yaml:5:", "a quote above is not closed"},
      {"run:\n  name: !!python/name x\n", "c.yaml:2:9: ", "python/name' is not supported"},
      {"run: &a\n  tags: [*a]\n",
       "c.yaml:2:10: ", "an alias stands inside the value that it names"},
      {"run:\n  ? [1]\n  : 2\n", "c.yaml:2:", "a key must be a word"},
      {"run:\n  name: a\n---\nrun:\n  name: b\n", "c.yaml:4: ", "a second document begins"},
  };
  for (const auto& [text, place, hint] : cases) {
    Example example;
    const std::string problems = example.read(text);
    EXPECT_THAT(problems, StartsWith(place)) << text;
    EXPECT_THAT(problems, HasSubstr(hint)) << text;
  }
}

TEST(CaseF10, AllLinesWithATabAreNamedOnce) {
  Example example;
  EXPECT_EQ(example.read("train:\n\tsteps: 1\n  \tseed: 2\n\t# only a remark\n\t\n"),
            "c.yaml:2:1: indented with a tab: YAML wants blanks (also in line 3)\n");
  EXPECT_EQ(example.read("train:\n  steps: 1\t# a tab that indents nothing\n"), "");
}

TEST(CaseF10, AliasesCannotExhaustTheMemory) {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'j'; ++c) {
    text += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i)
      text += std::string(i == 0 ? "*" : ", *") + static_cast<char>(c - 1);
    text += "]\n";
  }
  Example example;
  EXPECT_THAT(example.read(text), HasSubstr("more than 100000 values"));
  EXPECT_THAT(example.read(std::string(2000, '[')), HasSubstr("it nests too deeply"));
}

}  // namespace
}  // namespace lockstep::config
