#include "train/step_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace lockstep::train {
namespace {

// What the all-reduce does, in its order.
StepReport reduced(const std::vector<StepReport>& of_ranks) {
  const int ranks = static_cast<int>(of_ranks.size());
  std::vector<float> sum(report_count(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<float> mine(report_count(ranks), -1.0F);
    write_report(of_ranks[static_cast<std::size_t>(rank)], rank, ranks, mine);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += mine[i];
  }
  return read_report(sum, ranks);
}

StepReport of_loss(double loss, std::int64_t samples = 1) {
  StepReport report;
  report.loss = loss;
  report.samples = samples;
  return report;
}
StepReport of_vote(Stop stop, double loss = 0) {
  StepReport report = of_loss(loss);
  report.stop = stop;
  return report;
}
StepReport of_busy(double busy_s) {
  StepReport report;
  report.busy_s = busy_s;
  return report;
}

std::vector<std::int64_t> ids(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(end - first));
  std::iota(result.begin(), result.end(), first);
  return result;
}

std::uint64_t hash_of_split(const std::vector<std::int64_t>& all, std::size_t ranks) {
  std::vector<StepReport> reports(ranks);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t id = all[i];
    reports[i * ranks / all.size()].ids.add({&id, 1});
  }
  return reduced(reports).ids.value();
}

// F15 of what goes wrong in the field: rank losses 1 and 3 with 10 and 30 samples are 2.5.
TEST(StepReport, WeighsTheLossBySamples) {
  const StepReport total = reduced({of_loss(1.0 * 10 / 40, 10), of_loss(3.0 * 30 / 40, 30)});
  EXPECT_DOUBLE_EQ(total.loss, 2.5);
  EXPECT_EQ(total.samples, 40);
}

TEST(StepReport, KeepsTheBusySecondsOfEachRankApart) {
  const StepReport total = reduced({of_busy(0.5), of_busy(0.25), of_busy(2)});
  EXPECT_THAT(total.busy_of_rank_s, testing::ElementsAre(0.5F, 0.25F, 2.0F));
}

TEST(StepReport, SavesIfAnyoneSaysSo) {
  EXPECT_FALSE(reduced({{}, {}, {}}).should_save);
  StepReport saving;
  saving.should_save = true;
  EXPECT_TRUE(reduced({{}, saving, {}}).should_save);
}

TEST(StepReport, LetsTheWeightiestVoteWin) {
  EXPECT_EQ(reduced({{}, {}}).stop, Stop::no);
  for (std::size_t a = 0; a < kStops; ++a) {
    for (std::size_t b = 0; b < kStops; ++b) {
      const StepReport total =
          reduced({of_vote(static_cast<Stop>(a)), {}, of_vote(static_cast<Stop>(b))});
      EXPECT_EQ(total.stop, static_cast<Stop>(std::max(a, b)));
    }
  }
}

TEST(StepReport, TakesALossThatIsNoNumberForDivergedWhoeverHasIt) {
  for (const double loss :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(reduced({of_loss(1), of_loss(loss), of_loss(1)}).stop, Stop::diverged);
    EXPECT_EQ(reduced({of_vote(Stop::signalled, loss), {}}).stop, Stop::diverged);
  }
}

TEST(IdsHash, IsTheSameForAnySplitOfTheSameSamples) {
  const auto all = ids(1000, 1060);
  const std::uint64_t whole = hash_of_split(all, 1);
  for (const std::size_t ranks : {2UL, 3UL, 4UL, 7UL, 60UL})
    EXPECT_EQ(hash_of_split(all, ranks), whole) << ranks;
  std::vector<std::int64_t> backwards(all.rbegin(), all.rend());
  EXPECT_EQ(hash_of_split(backwards, 3), whole);
}

TEST(IdsHash, DiffersWhereOneSampleDoes) {
  const auto all = ids(0, 60);
  const std::uint64_t whole = hash_of_split(all, 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto other = all;
    other[i] = 60;
    EXPECT_NE(hash_of_split(other, 2), whole) << i;
  }
  auto twice = all;
  twice[0] = twice[1];  // one left out, one seen twice
  EXPECT_NE(hash_of_split(twice, 2), whole);
  EXPECT_NE(hash_of_split(ids(0, 59), 2), whole);
}

TEST(IdsHash, StaysExactForABatchOfAMillion) {
  const auto all = ids(0, 1 << 20);
  IdsHash exact;
  exact.add(all);
  StepReport mine;
  mine.ids = exact;
  EXPECT_EQ(reduced({mine, {}}).ids.value(), exact.value());
}

}  // namespace
}  // namespace lockstep::train
