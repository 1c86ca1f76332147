#include "job/node_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "unit/job/message_of.hpp"

namespace lockstep::job {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(std::string_view text) {
  return expand_node_list(text, "SLURM_JOB_NODELIST");
}

std::string refusal(const std::string& text) {
  return message_of(ErrorKind::environment, [&] { static_cast<void>(names(text)); });
}

TEST(NodeList, RangesOfOneNameVaryFromTheRight) {
  EXPECT_THAT(names("r[1-2]n[0-1]"), ElementsAre("r1n0", "r1n1", "r2n0", "r2n1"));
  EXPECT_THAT(names("a,c[1-2]x[3,05]y,z"),
              ElementsAre("a", "c1x3y", "c1x05y", "c2x3y", "c2x05y", "z"));
}

TEST(NodeList, AWidthIsThatOfTheFirstNumber) {
  EXPECT_THAT(names("n[098-101]"), ElementsAre("n098", "n099", "n100", "n101"));
  EXPECT_THAT(names("n[9-11]"), ElementsAre("n9", "n10", "n11"));
  EXPECT_THAT(names("n[0-1,00-01]"), ElementsAre("n0", "n1", "n00", "n01"));
}

TEST(NodeList, HundredsOfThousandsOfNamesTakeNoTime) {
  const auto begin = std::chrono::steady_clock::now();
  const auto all = names("n[0-65535],m[0-127]x[0-511],o[100000-165535]");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(all.size(), 3u * 65536u);
  EXPECT_EQ(all.front(), "n0");
  EXPECT_EQ(all.back(), "o165535");
  EXPECT_LT(took.count(), 10.0) << "it is linear, or it would take minutes";
}

TEST(NodeList, WhatCannotBeReadNamesVariableTextAndReason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"n[1-3", "a '[' is not closed"},
      {"n1-3]", "a ']' has no '['"},
      {"n[1,[2]]", "a '[' stands inside brackets"},
      {"n[]", "'' is no number"},
      {"n[1,]", "'' is no number"},
      {"n[-3]", "'' is no number"},
      {"n[1-]", "'' is no number"},
      {"n[1-2-3]", "'2-3' is no number"},
      {"n[a-b]", "'a' is no number"},
      {"n[3-1]", "the range 3-1 goes down"},
      {"n[0-1000000]", "more than 1000000 values"},
      {"n[0-1]x[0-999999]", "more than 1000000 values"},
      {"n[0-999999999999999999]", "more than 1000000 values"},
      {"n[0-9999999999999999999]", "is too long"},
      {"n[0-9],m[0-999990]", "more than 1000000 values"},
      {"", "a name is empty"},
      {"a,,b", "a name is empty"},
      {"a,", "a name is empty"},
      {"(null)", "no blanks, quotes or parentheses"},
  };
  for (const auto& [text, reason] : cases) {
    EXPECT_THAT(
        refusal(text),
        AllOf(HasSubstr("SLURM_JOB_NODELIST='" + text + "' cannot be read: "), HasSubstr(reason)));
  }
}

TEST(Counts, RepeatsAreExpanded) {
  EXPECT_THAT(expand_counts("4(x2),3", "X"), ElementsAre(4, 4, 3));
  EXPECT_THAT(expand_counts("16", "X"), ElementsAre(16));
  EXPECT_THAT(expand_counts("1,2(x1),3", "X"), ElementsAre(1, 2, 3));
}

TEST(Counts, WhatCannotBeReadNamesVariableAndText) {
  for (const std::string text : {"", "4(2)", "4(x)", "4(x2", "4x2", "4(x0)", "(x2)", "4,,3", "a",
                                 "-1", "4(x2000000)", "4(x1000000),4", "99999999999"}) {
    EXPECT_THAT(message_of(ErrorKind::environment,
                           [&] { static_cast<void>(expand_counts(text, "SLURM_TASKS_PER_NODE")); }),
                HasSubstr("SLURM_TASKS_PER_NODE='" + text + "' cannot be read: "));
  }
}

}  // namespace
}  // namespace lockstep::job
