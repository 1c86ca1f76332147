#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "config/scalar.hpp"
#include "unit/config/example.hpp"

namespace lockstep::config {
namespace {

using testing::HasSubstr;

TEST(Print, ShowsEveryKeyOnceInItsSection) {
  Example example;
  EXPECT_EQ(example.schema.print(),
            "run:\n"
            "  name: run\n"
            "  tags: []\n"
            "train:\n"
            "  steps: 100\n"
            "  seed: 1\n"
            "  micro_batch: auto\n"
            "  precision: fp32\n"
            "data:\n"
            "  path: \"\"\n"
            "  flip: false\n"
            "  mean: []\n"
            "optimizer:\n"
            "  kind: sgd\n"
            "  learning_rate: 0.1\n"
            "  weight_decay: 0.2\n"
            "  clip: auto\n"
            "schedule:\n"
            "  warmup:\n"
            "    start: 0.01\n"
            "  milestones: [30, 60]\n");
}

TEST(Print, GathersASectionThatIsDeclaredInPieces) {
  std::int64_t a = 1;
  std::int64_t b = 2;
  std::int64_t c = 3;
  Schema schema;
  schema.add("one.a", a, "A.");
  schema.add("two.b", b, "B.");
  schema.add("one.c", c, "C.");
  EXPECT_EQ(schema.print(), "one:\n  a: 1\n  c: 3\ntwo:\n  b: 2\n");
}

// Reads what `original` prints into a fresh set of settings.
Example again(const Example& original) {
  Example copy;
  EXPECT_EQ(copy.read(original.schema.print()), "");
  EXPECT_EQ(copy.schema.print(), original.schema.print());
  return copy;
}

TEST(Print, ReadsBackToTheSameText) {
  for (const std::string text :
       {"no",         "Yes",      "null",   "~",          "",           "0010",     "1e5",
        ".inf",       "a: b",     "a #b",   "#a",         "*x",         "%x",       "@x",
        "- a",        "-",        "[a]",    "{a}",        "a,b",        "C:\\data", "it's",
        "\"q\"",      " lead",    "trail ", "two\nlines", "tab\there",  "\x01\x7f", "b\xc3\xa4r",
        "2024-01-01", "12:30:00", "=",      "<<",         "!t",         "&a",       "|",
        ">",          "?",        "auto",   "true",       "/a/b-c_d.e", "./x",      "NaN"}) {
    Example original;
    original.name = text;
    original.path = text;
    original.tags = {text, "plain", text};
    const Example copy = again(original);
    EXPECT_EQ(copy.name, text);
    EXPECT_EQ(copy.path, text);
    EXPECT_EQ(copy.tags, original.tags);
  }
}

TEST(Print, ReadsBackToTheSameBitsOfNumbers) {
  for (const double value :
       {0.1, 1e-4, 1.0 / 3, 5e-324, 1.7976931348623157e308, 100.0, 1e22, 123456789.123456789}) {
    Example original;
    original.learning_rate = value;
    original.clip = value;
    original.warm_start = -value;
    const Example copy = again(original);
    EXPECT_EQ(copy.learning_rate, value);
    EXPECT_EQ(copy.clip, value);
    EXPECT_EQ(copy.warm_start, -value);
  }
  Example original;
  original.steps = std::numeric_limits<std::int64_t>::max();
  original.milestones = {std::numeric_limits<std::int64_t>::min(), 0, -1};
  original.precision = Precision::off;
  original.flip = true;
  const Example copy = again(original);
  EXPECT_EQ(copy.steps, original.steps);
  EXPECT_EQ(copy.milestones, original.milestones);
  EXPECT_EQ(copy.precision, Precision::off);
  EXPECT_TRUE(copy.flip);
}

TEST(Print, QuotesWhatOtherReadersTakeForSomethingElse) {
  EXPECT_EQ(as_yaml("no"), "\"no\"");
  EXPECT_EQ(as_yaml("1e-4"), "\"1e-4\"");
  EXPECT_EQ(as_yaml("Null"), "\"Null\"");
  EXPECT_EQ(as_yaml("resnet152"), "resnet152");
  EXPECT_EQ(as_yaml("/data/imagenet-1k"), "/data/imagenet-1k");
}

TEST(Table, HasALineForEachKeyWithTypeLimitsAndDefault) {
  Example example;
  std::string dir;
  example.schema.add("run.dir", dir, "Where runs live | or not.").required();
  const std::string table = example.schema.table();
  EXPECT_THAT(table, testing::StartsWith(
                         "| key | type | default | meaning |\n| --- | --- | --- | --- |\n"));
  EXPECT_THAT(table,
              HasSubstr("| `train.steps` | integer, at least 1 | `100` | Steps to take. |\n"));
  EXPECT_THAT(table, HasSubstr("| `train.precision` | fp32 \\| bf16 \\| off | `fp32` |"));
  EXPECT_THAT(table, HasSubstr("| `train.micro_batch` | integer \\| auto, at least 1 | `auto` |"));
  EXPECT_THAT(table, HasSubstr("| `data.mean` | list of numbers, at least 0, below 1 | `[]` |"));
  EXPECT_THAT(table, HasSubstr("| `run.dir` | text | required | Where runs live \\| or not. |\n"));
}

TEST(Table, ShowsTheDefaultAndNotWhatWasRead) {
  Example example;
  EXPECT_EQ(example.read("train: {steps: 5}"), "");
  EXPECT_THAT(example.schema.table(), HasSubstr("| `100` | Steps to take. |"));
}

}  // namespace
}  // namespace lockstep::config
