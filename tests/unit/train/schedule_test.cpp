#include "train/schedule.hpp"

#include <gtest/gtest.h>

#include "support/reference.hpp"

namespace lockstep::train {
namespace {

// Rates are made by other formulas in PyTorch (recursions), in double: a few roundings apart.
constexpr double kTolerance = 1e-14;

std::vector<double> reference_rates(const char* name) {
  return tests::reference("optimizers.json")
      .at("schedules")
      .at(name)
      .at("rates")
      .get<std::vector<double>>();
}

TEST(Schedule, FollowsPyTorchsCosineAfterAWarmUp) {
  const Schedule schedule({.name = ScheduleName::cosine, .warmup_epochs = 5}, 1.0, {20, 1});
  const auto rates = reference_rates("cosine_with_warmup");
  for (std::size_t step = 0; step < rates.size(); ++step)
    EXPECT_NEAR(schedule.rate_at(static_cast<std::int64_t>(step)), rates[step], kTolerance);
}

TEST(Schedule, FollowsPyTorchsStepLr) {
  const Schedule schedule({.name = ScheduleName::step, .every_epochs = 6, .factor = 0.1}, 1.0,
                          {20, 1});
  const auto rates = reference_rates("step");
  for (std::size_t step = 0; step < rates.size(); ++step)
    EXPECT_NEAR(schedule.rate_at(static_cast<std::int64_t>(step)), rates[step], kTolerance);
}

TEST(Schedule, StaysConstantAfterAWarmUpOfHalfAnEpoch) {
  const Schedule schedule({.warmup_epochs = 0.5}, 0.4, {100, 8});
  EXPECT_DOUBLE_EQ(schedule.rate_at(0), 0.1);
  EXPECT_DOUBLE_EQ(schedule.rate_at(3), 0.4);
  EXPECT_DOUBLE_EQ(schedule.rate_at(4), 0.4);
  EXPECT_DOUBLE_EQ(schedule.rate_at(99), 0.4);
}

TEST(Schedule, DropsAtEpochsAndNotAtSteps) {
  const Schedule schedule({.name = ScheduleName::step, .every_epochs = 1.5, .factor = 0.5}, 8,
                          {100, 10});
  EXPECT_DOUBLE_EQ(schedule.rate_at(14), 8);
  EXPECT_DOUBLE_EQ(schedule.rate_at(15), 4);
  EXPECT_DOUBLE_EQ(schedule.rate_at(30), 2);
}

TEST(Schedule, EndsACosineAtItsFinalFractionAndStaysThere) {
  const Schedule schedule({.name = ScheduleName::cosine, .final_fraction = 0.25}, 2, {50, 10});
  EXPECT_DOUBLE_EQ(schedule.rate_at(0), 2);
  EXPECT_DOUBLE_EQ(schedule.rate_at(25), 2 * (0.25 + 0.75 / 2));
  EXPECT_NEAR(schedule.rate_at(50), 0.5, 1e-12);
  EXPECT_NEAR(schedule.rate_at(1000), 0.5, 1e-12);
}

TEST(Schedule, IsAPureFunctionOfTheStep) {
  Schedule walked({.name = ScheduleName::cosine, .warmup_epochs = 2}, 0.1, {40, 5});
  const Schedule fresh({.name = ScheduleName::cosine, .warmup_epochs = 2}, 0.1, {40, 5});
  for (std::int64_t step = 0; step < 40; ++step, walked.advance())
    EXPECT_EQ(walked.rate(), fresh.rate_at(step)) << step;
  for (std::int64_t step = 40; step-- > 0;)
    EXPECT_EQ(walked.rate_at(step), fresh.rate_at(step)) << "asked backwards: " << step;
}

TEST(Schedule, GoesOnWhereItWasSaved) {
  Schedule before({.name = ScheduleName::cosine}, 0.1, {40, 5});
  for (int i = 0; i < 13; ++i) before.advance();
  Schedule after({.name = ScheduleName::cosine}, 0.1, {40, 5});
  after.after_load(before.text(), checkpoint::Restored::exact);
  EXPECT_EQ(after.rate(), before.rate());
  EXPECT_EQ(after.rate(), after.rate_at(13));
}

// F11 of what goes wrong in the field: base rate 0.1 for a batch of 256. The rule sees the global
// batch alone; how it is split over ranks and micro-batches is none of its business.
TEST(BaseRate, ScalesWithTheGlobalBatchAndNothingElse) {
  const OptimizerSettings optimizer{.learning_rate = 0.1, .scale_for_batch = 256};
  struct Case {
    std::int64_t world, local, accumulation;
    double rate;
  };
  for (const Case& c :
       {Case{8, 32, 1, 0.1}, Case{4, 64, 1, 0.1}, Case{4, 32, 1, 0.05}, Case{16, 16, 1, 0.1},
        Case{8, 32, 2, 0.2}, Case{4, 64, 2, 0.2}, Case{4, 32, 2, 0.1}, Case{16, 16, 2, 0.2}}) {
    EXPECT_DOUBLE_EQ(base_rate(optimizer, c.world * c.local * c.accumulation), c.rate);
  }
}

TEST(BaseRate, IsWhatWasWrittenUnlessScalingIsAskedFor) {
  EXPECT_EQ(base_rate({.learning_rate = 0.3}, 4096), 0.3);
}

}  // namespace
}  // namespace lockstep::train
