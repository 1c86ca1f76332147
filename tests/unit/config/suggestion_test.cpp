#include <gtest/gtest.h>

#include <array>
#include <string>

#include "config/nearest.hpp"

namespace lockstep::config {
namespace {

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("steps", "steps"), 0u);
  EXPECT_EQ(edit_distance("step", "steps"), 1u);
  EXPECT_EQ(edit_distance("weigth", "weight"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

const std::array<std::string, 6> kKnown = {"run",         "run.name",   "model.name",
                                           "train.steps", "eval.steps", "optimizer.momentum"};

TEST(Suggestion, PrefersTheSameSection) {
  EXPECT_EQ(suggestion("model.nam", kKnown), "did you mean model.name?");
  EXPECT_EQ(suggestion("eval.step", kKnown), "did you mean eval.steps?");
}

TEST(Suggestion, NamesEqualWordsOfSeveralSections) {
  EXPECT_EQ(suggestion("steps", kKnown), "did you mean train.steps or eval.steps?");
  EXPECT_EQ(suggestion("optimizer.Name", kKnown), "did you mean run.name or model.name?");
}

TEST(Suggestion, KeepsSilentWhenNothingIsNear) {
  EXPECT_EQ(suggestion("optimizer.epochs", kKnown), "");
  EXPECT_EQ(suggestion("x", kKnown), "");
  EXPECT_EQ(suggestion(std::string(1000, 'a'), kKnown), "");
}

}  // namespace
}  // namespace lockstep::config
