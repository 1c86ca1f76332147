#include "comm/finding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::comm {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

// Start time 0: nobody looks for these processes.
Roster roster(int size) {
  std::vector<Roster::Member> members;
  for (int rank = 0; rank < size; ++rank)
    members.push_back({{"node-" + std::to_string(rank), 100 + rank}, 0});
  return {members, 0};
}

const Position kHere{57, "all_reduce of 8 f32 (32 B), sum", "step 3"};

TEST(ExplainLate, NamesTheOneThatDoesNotAnswer) {
  const PeerError error = explain_late(roster(3), kHere, 300s, {kHere, std::nullopt, kHere});
  EXPECT_STREQ(error.what(),
               "rank 0 waited 5 min 00 s in all_reduce of 8 f32 (32 B), sum, collective 57, step "
               "3: rank 1 on node-1 (pid 101) "
               "did not come and does not answer (stopped, stuck or dead: look at its log)");
  EXPECT_EQ(error.culprit_rank(), 1);
  EXPECT_EQ(error.culprit(), "rank 1 on node-1");
  EXPECT_EQ(error.kind(), ErrorKind::peer);
}

TEST(ExplainLate, NamesTheOneFurthestBehindFirst) {
  const PeerError error =
      explain_late(roster(4), kHere, 2s,
                   {kHere, Position{56, "barrier", ""}, Position{54, "barrier", ""}, kHere});
  EXPECT_THAT(
      error.what(),
      HasSubstr("rank 2 on node-2 (pid 102) is behind: in barrier, collective 54, and 1 more"));
  EXPECT_EQ(error.culprit_rank(), 2);
}

TEST(ExplainLate, PrefersTheSilentOneOverTheOneElsewhere) {
  const PeerError error =
      explain_late(roster(3), kHere, 2s, {kHere, Position{57, "barrier", ""}, std::nullopt});
  EXPECT_EQ(error.culprit_rank(), 2);
  EXPECT_THAT(error.what(),
              HasSubstr("rank 1 on node-1 (pid 101) is elsewhere: in barrier, collective 57"));
}

TEST(ExplainLate, SuspectsTheNetworkWhenEverybodyIsThere) {
  const PeerError error = explain_late(roster(2), kHere, 2s, {kHere, kHere});
  EXPECT_EQ(error.culprit_rank(), -1);
  EXPECT_EQ(error.culprit(), "");
  EXPECT_THAT(error.what(), HasSubstr("network"));
}

TEST(ExplainLate, StaysOneLineForManyRanks) {
  const PeerError error = explain_late(roster(100), kHere, 2s, Answers(100));
  EXPECT_THAT(error.what(),
              HasSubstr("rank 8 on node-8 (pid 108) and 91 more did not come and do not answer"));
  EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
}

TEST(ExplainGone, NamesTheProcess) {
  EXPECT_STREQ(explain_gone(roster(2), {9, "barrier", ""}, 1).what(),
               "rank 1 on node-1 (pid 101) is gone: it ended while rank 0 waited in barrier, "
               "collective 9; its own log says why");
}

TEST(ExplainMismatch, TakesTheFewestAsWrong) {
  const Position other{57, "barrier", ""};
  const PeerError error = explain_mismatch(roster(3), {other, kHere, kHere});
  EXPECT_EQ(error.culprit_rank(), 0);
  EXPECT_THAT(error.what(),
              HasSubstr("rank 0 on node-0 (pid 100) called barrier, collective 57, but rank 1"));
  EXPECT_EQ(explain_mismatch(roster(2), {other, kHere}).culprit_rank(), 1);
}

}  // namespace
}  // namespace lockstep::comm
