#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/identity.hpp"
#include "job/node_list.hpp"
#include "job/placement.hpp"
#include "unit/job/message_of.hpp"
#include "unit/job/recorded.hpp"

// What people met with other tools; the numbers are those of the project's list of cases. No test
// stands for A19 (rendezvous ports) and A23 (own name on loopback): a placement holds neither a
// port nor an address, as MPI carries all that ranks must tell each other.
namespace lockstep::job {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names(std::string_view text) {
  return expand_node_list(text, "SLURM_JOB_NODELIST");
}

std::string refusal(const os::Environment& environment) {
  return message_of(ErrorKind::environment,
                    [&] { static_cast<void>(derive_placement(environment)); });
}

os::Environment with(os::Environment environment, const os::Environment& changes) {
  for (const auto& [name, value] : changes) environment[name] = value;
  return environment;
}

TEST(CaseA1, ABracketGroupNeedNotComeFirst) {
  EXPECT_THAT(names("nodeA,nodeB[001,003],nodeC"),
              ElementsAre("nodeA", "nodeB001", "nodeB003", "nodeC"));
  EXPECT_EQ(derive_placement({{"SLURM_JOB_NODELIST", "nodeA,nodeB[001,003],nodeC"}}).head_node(),
            "nodeA");
}

TEST(CaseA2, ADashIsARangeOnlyInsideBrackets) {
  EXPECT_THAT(names("clu-ia[810-811]"), ElementsAre("clu-ia810", "clu-ia811"));
  EXPECT_THAT(names("clu-ia810"), ElementsAre("clu-ia810"));
  EXPECT_THAT(names("cn64-[17-20]"), ElementsAre("cn64-17", "cn64-18", "cn64-19", "cn64-20"));
  EXPECT_THAT(names("dgx-h100-[001-002]"), ElementsAre("dgx-h100-001", "dgx-h100-002"));
  EXPECT_THAT(names("a1b2c[3-4]"), ElementsAre("a1b2c3", "a1b2c4"));
  EXPECT_THAT(names("r1i0n[0-2]"), ElementsAre("r1i0n0", "r1i0n1", "r1i0n2"));
}

TEST(CaseA3, LeadingZerosAreKeptAndNoneInvented) {
  EXPECT_THAT(names("n[001-003,005]"), ElementsAre("n001", "n002", "n003", "n005"));
  EXPECT_THAT(names("nid[00011-00012]"), ElementsAre("nid00011", "nid00012"));
  EXPECT_THAT(names("n[8-11]"), ElementsAre("n8", "n9", "n10", "n11"));
}

TEST(CaseA6, CommasInsideAndOutsideBracketsAreToldApart) {
  EXPECT_THAT(names("linux[1,2]"), ElementsAre("linux1", "linux2"));
  EXPECT_THAT(names("n[006,011]"), ElementsAre("n006", "n011"));
  EXPECT_THAT(names("host[001,003-004,006]"),
              ElementsAre("host001", "host003", "host004", "host006"));
  EXPECT_THAT(names("alpha,beta,gamma"), ElementsAre("alpha", "beta", "gamma"));
  EXPECT_THAT(names("node1g[0010,0011],node2g0005,node3g0007"),
              ElementsAre("node1g0010", "node1g0011", "node2g0005", "node3g0007"));
}

TEST(CaseA6, TheNumberOfNamesMustBeTheNumberOfNodes) {
  EXPECT_THAT(refusal({{"SLURM_JOB_NODELIST", "alpha,beta,gamma"}, {"SLURM_JOB_NUM_NODES", "2"}}),
              AllOf(HasSubstr("SLURM_JOB_NODELIST='alpha,beta,gamma' names 3 nodes"),
                    HasSubstr("SLURM_JOB_NUM_NODES=2")));
}

TEST(CaseA8, TasksPerNodeAreExpandedAndGiveTheLocalSize) {
  EXPECT_THAT(expand_counts("4(x2)", "SLURM_TASKS_PER_NODE"), ElementsAre(4, 4));
  EXPECT_THAT(expand_counts("1(x2)", "SLURM_STEP_TASKS_PER_NODE"), ElementsAre(1, 1));
  EXPECT_THAT(expand_counts("32(x2)", "SLURM_JOB_CPUS_PER_NODE"), ElementsAre(32, 32));
  const os::Environment job = {{"SLURM_STEP_ID", "0"},
                               {"SLURM_TASKS_PER_NODE", "4(x2)"},
                               {"SLURM_NTASKS", "8"},
                               {"SLURM_NNODES", "2"},
                               {"SLURM_JOB_CPUS_PER_NODE", "32(x2)"}};
  const Placement eight = derive_placement(
      with(job, {{"SLURM_PROCID", "7"}, {"SLURM_NODEID", "1"}, {"SLURM_LOCALID", "3"}}));
  EXPECT_EQ(eight.size.value, 8);
  EXPECT_EQ(eight.local_size.value, 4);
  const Placement two = derive_placement(with(job, {{"SLURM_STEP_TASKS_PER_NODE", "1(x2)"},
                                                    {"SLURM_PROCID", "1"},
                                                    {"SLURM_NODEID", "1"},
                                                    {"SLURM_LOCALID", "0"}}));
  EXPECT_EQ(two.size.value, 2);
  EXPECT_EQ(two.local_size.value, 1);
}

TEST(CaseA8, UnevenNodesHaveEachTheirOwnLocalSize) {
  const os::Environment step = {
      {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_STEP_TASKS_PER_NODE", "3,1"}};
  const Placement first = derive_placement(
      with(step, {{"SLURM_PROCID", "2"}, {"SLURM_NODEID", "0"}, {"SLURM_LOCALID", "2"}}));
  const Placement last = derive_placement(
      with(step, {{"SLURM_PROCID", "3"}, {"SLURM_NODEID", "1"}, {"SLURM_LOCALID", "0"}}));
  EXPECT_EQ(first.local_size.value, 3);
  EXPECT_EQ(last.local_size.value, 1);
}

TEST(CaseA10, TheNumberOfTasksFollowsTheOrderOfEvidence) {
  const os::Environment task = {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}};
  struct Case {
    os::Environment variables;
    int size;
    std::string from;
  };
  for (const Case& one : std::vector<Case>{
           {{{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_NTASKS", "8"}, {"SLURM_NPROCS", "8"}},
            2,
            "SLURM_STEP_NUM_TASKS"},
           {{{"SLURM_NTASKS", "8"},
             {"SLURM_NPROCS", "8"},
             {"SLURM_NNODES", "2"},
             {"SLURM_TASKS_PER_NODE", "4(x2)"}},
            8,
            "SLURM_NTASKS"},
           {{{"SLURM_NPROCS", "6"}, {"SLURM_TASKS_PER_NODE", "3(x2)"}}, 6, "SLURM_NPROCS"},
           {{{"SLURM_TASKS_PER_NODE", "3,2"}}, 5, "SLURM_TASKS_PER_NODE"},
           {{{"SLURM_NNODES", "2"}, {"SLURM_NTASKS_PER_NODE", "4"}},
            8,
            "SLURM_NNODES x SLURM_NTASKS_PER_NODE"},
           {{{"SLURM_NTASKS", "7"}, {"SLURM_NNODES", "2"}, {"SLURM_NTASKS_PER_NODE", "4"}},
            7,
            "SLURM_NTASKS"}}) {
    const Placement placement = derive_placement(with(task, one.variables));
    EXPECT_EQ(placement.size.value, one.size) << one.from;
    EXPECT_EQ(placement.size.from, one.from);
  }
  const Placement placement = derive_placement(
      with(task, {{"SLURM_NNODES", "2"}, {"SLURM_NTASKS_PER_NODE", "4"}, {"SLURM_PROCID", "5"}}));
  EXPECT_EQ(placement.node.value, 1);
  EXPECT_EQ(placement.local_rank.value, 1);
  EXPECT_EQ(placement.local_size.value, 4);
}

TEST(CaseA10, SourcesThatDisagreeAreNamedWithTheirValues) {
  const os::Environment task = {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}};
  EXPECT_THAT(refusal(with(task, {{"SLURM_NTASKS", "8"}, {"SLURM_TASKS_PER_NODE", "4,3"}})),
              AllOf(HasSubstr("SLURM_NTASKS=8"), HasSubstr("SLURM_TASKS_PER_NODE says 7")));
  EXPECT_THAT(refusal(with(task, {{"SLURM_NTASKS", "8"}, {"SLURM_NPROCS", "4"}})),
              AllOf(HasSubstr("SLURM_NTASKS=8"), HasSubstr("SLURM_NPROCS says 4")));
  EXPECT_THAT(
      refusal(with(task,
                   {{"SLURM_NTASKS", "9"}, {"SLURM_NNODES", "2"}, {"SLURM_NTASKS_PER_NODE", "4"}})),
      AllOf(HasSubstr("SLURM_NTASKS=9"), HasSubstr("SLURM_NNODES x SLURM_NTASKS_PER_NODE says 8")));
  EXPECT_THAT(refusal(task), HasSubstr("SLURM_STEP_NUM_TASKS is not set"));
}

TEST(CaseA11, TheStepWinsOverTheJob) {
  for (int rank = 0; rank < 8; ++rank) {
    const Placement placement = derive_placement({{"SLURM_NTASKS", "32"},
                                                  {"SLURM_JOB_NUM_NODES", "4"},
                                                  {"SLURM_JOB_NODELIST", "n[1-4]"},
                                                  {"SLURM_STEP_NUM_TASKS", "8"},
                                                  {"SLURM_STEP_NUM_NODES", "1"},
                                                  {"SLURM_STEP_NODELIST", "n3"},
                                                  {"SLURM_STEP_TASKS_PER_NODE", "8"},
                                                  {"SLURM_PROCID", std::to_string(rank)}});
    EXPECT_EQ(placement.launcher.value, Launcher::srun);
    EXPECT_EQ(placement.rank.value, rank);
    EXPECT_EQ(placement.size.value, 8);
    EXPECT_EQ(placement.local_rank.value, rank);
    EXPECT_EQ(placement.local_size.value, 8);
    EXPECT_EQ(placement.head_node(), "n3");
  }
}

TEST(CaseA12, RankNodeAndLocalRankAreThreeThings) {
  const Placement placement = derive_placement({{"SLURM_STEP_ID", "0"},
                                                {"SLURM_STEP_NUM_TASKS", "8"},
                                                {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"},
                                                {"SLURM_PROCID", "5"},
                                                {"SLURM_NODEID", "1"},
                                                {"SLURM_LOCALID", "1"}});
  EXPECT_EQ(placement.rank.value, 5);
  EXPECT_EQ(placement.node.value, 1);
  EXPECT_EQ(placement.local_rank.value, 1);
  EXPECT_EQ(placement.local_size.value, 4);
  EXPECT_EQ(device_index(placement, 4), 1);
}

TEST(CaseA13, UnderMpirunTheInheritedProcIdIsNotTheRank) {
  for (int rank = 0; rank < 3; ++rank) {
    const Placement placement =
        derive_placement({{"OMPI_COMM_WORLD_RANK", std::to_string(rank)},
                          {"OMPI_COMM_WORLD_SIZE", "3"},
                          {"OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(rank)},
                          {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
                          {"SLURM_JOB_ID", "1"},
                          {"SLURM_STEP_ID", "0"},
                          {"SLURM_PROCID", "0"},
                          {"SLURM_NTASKS", "1"}});
    EXPECT_EQ(placement.launcher.value, Launcher::mpirun);
    EXPECT_EQ(placement.rank.value, rank);
    EXPECT_EQ(placement.size.value, 3);
    if (rank == 0) continue;
    EXPECT_THAT(placement.notices,
                ElementsAre(AllOf(HasSubstr("started by mpirun (OMPI_COMM_WORLD_RANK="),
                                  HasSubstr("SLURM_PROCID=0"), HasSubstr("not used"))));
  }
}

TEST(CaseA14, ASingletonInAStepIsRecognisedBeforeAnythingIsWritten) {
  const Placement placement = derive_placement({{"SLURM_JOB_ID", "1"},
                                                {"SLURM_NTASKS", "4"},
                                                {"SLURM_PROCID", "2"},
                                                {"SLURM_STEP_ID", "0"}});
  EXPECT_EQ(placement.size.value, 4);
  RankFacts facts;
  facts.launcher = name(placement.launcher.value);
  facts.launcher_rank = placement.rank.value;
  facts.launcher_size = placement.size.value;
  facts.mpi_rank = 0;
  facts.mpi_size = 1;
  EXPECT_THAT(singleton_problem(facts),
              AllOf(HasSubstr("MPI sees only this process"), HasSubstr("srun started 4"),
                    HasSubstr("srun --mpi=list"), HasSubstr("--mpi=pmix"), HasSubstr("mpirun")));
  facts.mpi_size = 4;
  EXPECT_EQ(singleton_problem(facts), "");
}

TEST(CaseA15, TheOnlyVisibleDeviceIsTheOneToTake) {
  for (const std::string visible : {"0", "3"}) {
    os::Environment environment = recorded::srun_rank_5();
    environment["SLURM_LOCALID"] = "3";
    environment["SLURM_PROCID"] = "7";
    environment["CUDA_VISIBLE_DEVICES"] = visible;
    const Placement placement = derive_placement(environment);
    EXPECT_THAT(placement.devices.value, ElementsAre(visible));
    EXPECT_EQ(device_index(placement, 1), 0);
  }
}

TEST(CaseA15, FewerDevicesThanRanksAreRefusedOnEveryRankOfTheNode) {
  for (const std::string local : {"0", "1", "3"}) {
    const Placement placement =
        derive_placement(with(recorded::srun_rank_5(), {{"SLURM_LOCALID", local}}));
    EXPECT_THAT(
        message_of(ErrorKind::environment, [&] { static_cast<void>(device_index(placement, 2)); }),
        AllOf(HasSubstr("sees 2 accelerators"), HasSubstr("4 ranks"),
              HasSubstr("--gpus-per-node=4")));
    EXPECT_THAT(
        message_of(ErrorKind::environment, [&] { static_cast<void>(device_index(placement, 0)); }),
        HasSubstr("sees 0 accelerators"));
    EXPECT_EQ(device_index(placement, 8), std::stoi(local));
  }
}

TEST(CaseA17, DevicesAreOpaqueWords) {
  const std::string gpu = "GPU-11111111-2222-3333-4444-555555555555";
  const std::string mig = "MIG-11111111-2222-3333-4444-555555555555";
  EXPECT_THAT(derive_placement({{"CUDA_VISIBLE_DEVICES", gpu}}).devices.value, ElementsAre(gpu));
  EXPECT_THAT(derive_placement({{"CUDA_VISIBLE_DEVICES", mig}}).devices.value, ElementsAre(mig));
  EXPECT_THAT(derive_placement({{"CUDA_VISIBLE_DEVICES", gpu + "," + mig}}).devices.value,
              ElementsAre(gpu, mig));
  const auto none = derive_placement({{"CUDA_VISIBLE_DEVICES", "NoDevFiles"}}).devices;
  EXPECT_THAT(none.value, IsEmpty());
  EXPECT_EQ(none.from, "CUDA_VISIBLE_DEVICES");
}

TEST(CaseA20, AStepCalledInteractiveIsAStep) {
  const Placement placement = derive_placement({{"SLURM_JOB_NAME", "interactive"},
                                                {"SLURM_STEP_ID", "42"},
                                                {"SLURM_STEP_NUM_TASKS", "4"},
                                                {"SLURM_PROCID", "3"},
                                                {"SLURM_LOCALID", "3"},
                                                {"SLURM_NODEID", "0"}});
  EXPECT_EQ(placement.launcher.value, Launcher::srun);
  EXPECT_EQ(placement.rank.value, 3);
  EXPECT_EQ(placement.size.value, 4);
}

TEST(CaseA20, AProgramInAShellFromSrunPtyIsOneProcess) {
  const Placement inside = derive_placement({{"SLURM_JOB_NAME", "bash"},
                                             {"SLURM_JOB_ID", "5"},
                                             {"SLURM_NTASKS", "4"},
                                             {"SLURM_STEP_ID", "0"},
                                             {"SLURM_STEP_NUM_TASKS", "1"},
                                             {"SLURM_STEP_TASKS_PER_NODE", "1"},
                                             {"SLURM_PROCID", "0"},
                                             {"SLURM_LOCALID", "0"},
                                             {"SLURM_NODEID", "0"}});
  EXPECT_EQ(inside.size.value, 1);
  EXPECT_THAT(inside.notices,
              ElementsAre(AllOf(HasSubstr("1 of the allocation's 4 tasks"), HasSubstr("srun"))));
  const Placement stripped =
      derive_placement({{"SLURM_JOB_NAME", "bash"}, {"SLURM_JOB_ID", "5"}, {"SLURM_NTASKS", "4"}});
  EXPECT_EQ(stripped.launcher.value, Launcher::alone);
  EXPECT_EQ(stripped.size.value, 1);
  EXPECT_THAT(stripped.notices, ElementsAre(HasSubstr("srun")));
}

TEST(CaseA20, AShellFromSallocIsAloneAndToldToUseSrun) {
  const Placement placement = derive_placement({{"SLURM_JOB_ID", "5"},
                                                {"SLURM_JOB_NAME", "interactive"},
                                                {"SLURM_JOB_NODELIST", "node[1-2]"},
                                                {"SLURM_NNODES", "2"},
                                                {"SLURM_NTASKS", "4"},
                                                {"SLURM_TASKS_PER_NODE", "2(x2)"}});
  EXPECT_EQ(placement.launcher.value, Launcher::alone);
  EXPECT_EQ(placement.size.value, 1);
  EXPECT_THAT(placement.notices, ElementsAre(HasSubstr("start the program with srun")));
}

TEST(CaseA22, FewerCoresThanAskedForAreANoticeAndNoError) {
  Placement placement;
  placement.cpus_per_task = {10, "SLURM_CPUS_PER_TASK"};
  EXPECT_THAT(affinity_notice(placement, 2),
              AllOf(HasSubstr("SLURM_CPUS_PER_TASK=10"), HasSubstr("only 2 cores"),
                    HasSubstr("SLURM_CPU_BIND"), HasSubstr("before sbatch")));
  EXPECT_EQ(affinity_notice(placement, 10), "");
  EXPECT_EQ(affinity_notice(Placement(), 1), "");
  const Placement derived =
      derive_placement(with(recorded::srun_rank_5(), {{"SLURM_CPUS_PER_TASK", "1000000"}}));
  EXPECT_THAT(derived.notices, ElementsAre(HasSubstr("SLURM_CPUS_PER_TASK=1000000")));
}

TEST(CaseA22, ALoneArrayJobIdIsInheritedAndNotOurs) {
  EXPECT_EQ(derive_placement({{"SLURM_JOB_ID", "2000"}, {"SLURM_ARRAY_JOB_ID", "900"}}).job.value,
            "2000");
}

TEST(CaseA24, ANameHoldsNoBlank) {
  for (const std::string text : {"n1\nn2", "n1 n2", "\"n1,n2\"", "n1\tn2"}) {
    EXPECT_THAT(refusal({{"SLURM_JOB_NODELIST", text}}), HasSubstr("host names hold no blanks"));
  }
}

}  // namespace
}  // namespace lockstep::job
