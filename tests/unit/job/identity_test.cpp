#include "job/identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/job/message_of.hpp"

namespace lockstep::job {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Two nodes of two ranks each, all in order.
std::vector<RankFacts> four_ranks() {
  std::vector<RankFacts> ranks(4);
  for (int i = 0; i < 4; ++i) {
    RankFacts& rank = ranks[static_cast<std::size_t>(i)];
    rank.mpi_rank = rank.launcher_rank = i;
    rank.mpi_size = rank.launcher_size = 4;
    rank.launcher = "srun";
    rank.local_peers = rank.local_size = 2;
    rank.host = i < 2 ? "node-a" : "node-b";
    rank.pid = 100 + i;
    rank.device = "GPU-" + std::to_string(i);
    rank.program = "p1";
    rank.config = "c1";
  }
  return ranks;
}

TEST(Identity, IsFineWhenAllAgree) {
  EXPECT_THAT(identity_problems(four_ranks()), IsEmpty());
  EXPECT_THAT(identity_problems({}), IsEmpty());
}

TEST(Identity, ASizeThatMpiCountsDifferentlyIsAProblem) {
  auto ranks = four_ranks();
  for (auto& rank : ranks) rank.launcher_size = 8;
  EXPECT_THAT(identity_problems(ranks),
              ElementsAre(AllOf(HasSubstr("rank 0 on node-a (srun says 8, MPI says 4)"),
                                HasSubstr("--mpi=pmix"))));
}

TEST(Identity, ARankThatMpiNumbersDifferentlyIsAProblem) {
  auto ranks = four_ranks();
  std::swap(ranks[1].launcher_rank, ranks[2].launcher_rank);
  EXPECT_THAT(identity_problems(ranks),
              ElementsAre(AllOf(HasSubstr("rank 1 on node-a (srun says 2)"),
                                HasSubstr("rank 2 on node-b (srun says 1)"))));
}

TEST(Identity, TwoRanksOnOneAcceleratorAreAProblem) {
  auto ranks = four_ranks();
  ranks[3].device = ranks[2].device;
  EXPECT_THAT(identity_problems(ranks),
              ElementsAre(AllOf(HasSubstr("ranks 2, 3 on node-b share the accelerator GPU-2"),
                                HasSubstr("--gpus-per-node"))));
}

TEST(Identity, ACpuMayBeShared) {
  auto ranks = four_ranks();
  for (auto& rank : ranks) rank.device = "cpu";
  EXPECT_THAT(identity_problems(ranks), IsEmpty());
}

TEST(Identity, PeersOfANodeThatDoNotSeeEachOtherAreAProblem) {
  auto ranks = four_ranks();
  ranks[2].local_peers = ranks[3].local_peers = 1;
  EXPECT_THAT(identity_problems(ranks),
              ElementsAre(AllOf(HasSubstr("rank 2 on node-b (sees 1 of 2)"),
                                HasSubstr("rank 3 on node-b (sees 1 of 2)"), HasSubstr("/dev/shm"),
                                Not(HasSubstr("node-a")))));
}

TEST(Identity, AnotherProgramIsNamedAgainstTheMajority) {
  auto ranks = four_ranks();
  ranks[0].program = "old";
  EXPECT_THAT(identity_problems(ranks),
              ElementsAre(AllOf(HasSubstr("the same program: 3 of 4 have p1"),
                                HasSubstr("rank 0 on node-a (old)"), Not(HasSubstr("rank 1")))));
}

TEST(Identity, AnotherConfigurationIsNamedAgainstRank0OnATie) {
  auto ranks = four_ranks();
  ranks[2].config = ranks[3].config = "a-first-in-order";
  EXPECT_THAT(
      identity_problems(ranks),
      ElementsAre(AllOf(HasSubstr("the same configuration: 2 of 4 have c1"),
                        HasSubstr("rank 2 on node-b (a-first-in-order)"), HasSubstr("rank 3"))));
}

TEST(Identity, EveryContradictionIsOneSentence) {
  auto ranks = four_ranks();
  ranks[1].launcher_rank = 3;
  ranks[1].program = "x";
  ranks[1].config = "y";
  ranks[1].device = "GPU-0";
  ranks[1].local_peers = 1;
  EXPECT_EQ(identity_problems(ranks).size(), 5u);
}

TEST(Identity, OfManyRanksOnlyTheFirstAreListed) {
  std::vector<RankFacts> ranks(1000);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].mpi_rank = ranks[i].launcher_rank = static_cast<int>(i);
    ranks[i].mpi_size = 1000;
    ranks[i].launcher_size = 2000;
    ranks[i].device = "cpu";
  }
  const auto problems = identity_problems(ranks);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0], HasSubstr("and 992 more"));
}

TEST(Singleton, OfMpirunNamesTheWrongMpi) {
  RankFacts facts;
  facts.launcher = "mpirun";
  facts.launcher_size = 2;
  facts.host = "node-a";
  EXPECT_THAT(
      singleton_problem(facts),
      AllOf(HasSubstr("mpirun started 2"), HasSubstr("not of the MPI"), HasSubstr("which mpirun")));
  facts.launcher_size = 1;
  EXPECT_EQ(singleton_problem(facts), "");
}

TEST(RankFacts, TravelAsOneLine) {
  RankFacts facts = four_ranks()[2];
  facts.host = "node \"x\"";
  facts.device = "cpu";
  const std::string text = facts.to_text();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const RankFacts back = RankFacts::from_text(text);
  EXPECT_EQ(back.to_text(), text);
  EXPECT_EQ(back.host, facts.host);
  EXPECT_EQ(back.mpi_rank, 2);
  EXPECT_EQ(back.pid, 102);
  EXPECT_THAT(
      message_of(ErrorKind::environment, [] { static_cast<void>(RankFacts::from_text("{}")); }),
      HasSubstr("do all ranks run the same program?"));
}

}  // namespace
}  // namespace lockstep::job
