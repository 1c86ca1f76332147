#include "data/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct Reading {
  Settings settings;
  std::vector<std::string> messages;  // "where: message"
};

Reading reading_of(const std::string& section) {
  Reading result;
  config::Schema schema;
  result.settings.declare(schema);
  std::vector<config::Problem> problems = schema.read_text("data:\n" + section, "test.yaml", {});
  if (problems.empty()) result.settings.check(schema, problems);
  for (const config::Problem& problem : problems)
    result.messages.push_back(problem.where + ": " + problem.message);
  return result;
}

TEST(DataSettings, ReadTheKeysOfIdxData) {
  const Reading reading = reading_of(
      "  format: idx\n  path: some/folder\n  mean: [0.286]\n  std: [0.353]\n  crop_padding: 2\n  "
      "flip: true\n"
      "  threads: 3\n  ring: 5\n  patience_s: 1.5\n");
  EXPECT_THAT(reading.messages, ElementsAre());
  EXPECT_EQ(reading.settings.format, Format::idx);
  EXPECT_EQ(reading.settings.path, "some/folder");
  EXPECT_THAT(reading.settings.mean, ElementsAre(0.286));
  EXPECT_THAT(reading.settings.std, ElementsAre(0.353));
  EXPECT_EQ(reading.settings.crop_padding, 2);
  EXPECT_TRUE(reading.settings.flip);
  EXPECT_EQ(reading.settings.threads, 3);
  EXPECT_EQ(reading.settings.ring, 5);
  EXPECT_EQ(reading.settings.patience_s, 1.5);
}

TEST(DataSettings, ReadTheKeysOfSyntheticData) {
  const Reading reading = reading_of(
      "  format: synthetic\n  image_size: 32\n  channels: 1\n  classes: 4\n  samples: 64\n");
  EXPECT_THAT(reading.messages, ElementsAre());
  EXPECT_EQ(reading.settings.format, Format::synthetic);
  EXPECT_EQ(reading.settings.image_size, 32);
  EXPECT_EQ(reading.settings.channels, 1);
  EXPECT_EQ(reading.settings.classes, 4);
  EXPECT_EQ(reading.settings.samples, 64);
  EXPECT_EQ(reading.settings.threads, std::nullopt);
}

TEST(DataSettings, IdxNeedsAPath) {
  EXPECT_THAT(
      reading_of("  format: idx\n").messages,
      ElementsAre(AllOf(HasSubstr("needs data.path"), HasSubstr("train-images-idx3-ubyte"))));
}

TEST(DataSettings, IdxRefusesWhatTheFilesSay) {
  EXPECT_THAT(reading_of("  path: x\n  image_size: 224\n  samples: 100\n").messages,
              ElementsAre(AllOf(HasSubstr("test.yaml:3"),
                                HasSubstr("data.image_size describes synthetic data")),
                          AllOf(HasSubstr("test.yaml:4"), HasSubstr("data.samples"))));
}

TEST(DataSettings, SyntheticNeedsAnImageSize) {
  EXPECT_THAT(reading_of("  format: synthetic\n").messages,
              ElementsAre(HasSubstr("needs data.image_size")));
}

TEST(DataSettings, StatisticsNeedOneValueAChannel) {
  EXPECT_THAT(reading_of("  format: synthetic\n  image_size: 8\n  mean: [0.5]\n").messages,
              ElementsAre(AllOf(HasSubstr("test.yaml:4"), HasSubstr("data.mean has 1 values"),
                                HasSubstr("is 3"))));
  EXPECT_THAT(reading_of("  path: x\n  mean: [0.5, 0.5]\n  std: [0.5]\n").messages,
              ElementsAre(AllOf(HasSubstr("data.std has 1 values"), HasSubstr("data.mean 2"))));
}

TEST(DataSettings, StatisticsAreOfPixelsInTheUnitInterval) {
  EXPECT_THAT(reading_of("  path: x\n  mean: [123.7]\n  std: [0.2]\n").messages,
              ElementsAre(AllOf(HasSubstr("data.mean holds 123.7"), HasSubstr("255"))));
  EXPECT_THAT(reading_of("  path: x\n  mean: [0.5]\n  std: [0]\n").messages,
              ElementsAre(AllOf(HasSubstr("data.std holds 0"), HasSubstr("above 0"))));
  EXPECT_THAT(reading_of("  path: x\n  mean: [.nan]\n").messages, testing::SizeIs(1));
}

TEST(DataSettings, LimitsAreKept) {
  for (const char* line : {"  ring: 1\n", "  threads: 0\n", "  patience_s: 0\n",
                           "  crop_padding: -1\n", "  format: jpeg\n", "  threads: none\n"}) {
    EXPECT_THAT(reading_of(std::string("  path: x\n") + line).messages, testing::SizeIs(1)) << line;
  }
}

TEST(DataSettings, OnlyWhatLeavesTheResultAloneMayChange) {
  const auto schema_of = [](Settings& settings, const std::string& section) {
    config::Schema schema;
    settings.declare(schema);
    EXPECT_TRUE(schema.read_text("data:\n" + section, "test.yaml", {}).empty());
    return schema;
  };
  Settings stored;
  Settings free;
  Settings fixed;
  const std::string before =
      schema_of(stored, "  path: a\n  threads: 1\n  ring: 2\n  patience_s: 3\n").print();
  EXPECT_THAT(schema_of(free, "  path: b\n  threads: 2\n  ring: 3\n  patience_s: 4\n")
                  .fixed_differences(before),
              ElementsAre());
  EXPECT_THAT(
      schema_of(fixed, "  path: a\n  flip: true\n  crop_padding: 4\n").fixed_differences(before),
      testing::UnorderedElementsAre(HasSubstr("data.flip"), HasSubstr("data.crop_padding")));
}

}  // namespace
}  // namespace lockstep::data
