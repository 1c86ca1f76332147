#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "unit/config/example.hpp"

namespace lockstep::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FixedDifferences, NameTheKeyAndBothValues) {
  Example before;
  EXPECT_EQ(before.read("run: {name: no}\ndata: {mean: [0.5]}"), "");
  Example now;
  EXPECT_EQ(now.read("run: {name: yes}\noptimizer: {learning_rate: 0.5}\ntrain: {precision: bf16}"),
            "");
  EXPECT_THAT(now.schema.fixed_differences(before.schema.print()),
              ElementsAre("run.name: \"no\" -> \"yes\"", "train.precision: fp32 -> bf16",
                          "data.mean: [0.5] -> []", "optimizer.learning_rate: 0.1 -> 0.5"));
}

TEST(FixedDifferences, LeaveOutKeysThatMayChange) {
  Example before;
  Example now;
  EXPECT_EQ(now.read("train: {steps: 5}\ndata: {path: elsewhere}"), "");
  EXPECT_THAT(now.schema.fixed_differences(before.schema.print()), IsEmpty());
}

TEST(FixedDifferences, CompareValuesAndNotSpelling) {
  Example now;
  EXPECT_THAT(now.schema.fixed_differences(
                  "train: {seed: 1.0}\noptimizer: {learning_rate: 1e-1, kind: 'sgd'}"),
              IsEmpty());
}

TEST(FixedDifferences, TakeTheDefaultForAKeyThatTheStoredTextLacks) {
  Example now;
  EXPECT_EQ(now.read("train: {seed: 2}"), "");
  EXPECT_THAT(now.schema.fixed_differences(""), ElementsAre("train.seed: 1 -> 2"));
}

TEST(FixedDifferences, NameAStoredKeyThatNobodyKnowsAnyMore) {
  Example now;
  EXPECT_THAT(now.schema.fixed_differences("train: {ema: 0.9}"),
              ElementsAre("train.ema: 0.9 -> not known to this version"));
}

TEST(FixedDifferences, DoNotTouchTheSettings) {
  Example now;
  EXPECT_THAT(now.schema.fixed_differences("train: {seed: 9, steps: 9}"),
              ElementsAre("train.seed: 9 -> 1"));
  EXPECT_EQ(now.seed, 1);
  EXPECT_EQ(now.steps, 100);
}

TEST(FixedDifferences, OfAnUnreadableTextAreAnError) {
  Example now;
  EXPECT_THROW(static_cast<void>(now.schema.fixed_differences("train: [")), Error);
}

}  // namespace
}  // namespace lockstep::config
