#include "job/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/job/message_of.hpp"
#include "unit/job/recorded.hpp"

namespace lockstep::job {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string refusal(const os::Environment& environment) {
  return message_of(ErrorKind::environment,
                    [&] { static_cast<void>(derive_placement(environment)); });
}

TEST(Placement, OfARecordedSrunStep) {
  const Placement placement = derive_placement(recorded::srun_rank_5());
  EXPECT_EQ(placement.launcher.value, Launcher::srun);
  EXPECT_EQ(placement.rank.value, 5);
  EXPECT_EQ(placement.rank.from, "SLURM_PROCID");
  EXPECT_EQ(placement.size.value, 16);
  EXPECT_EQ(placement.size.from, "SLURM_STEP_NUM_TASKS");
  EXPECT_EQ(placement.local_rank.value, 1);
  EXPECT_EQ(placement.local_size.value, 4);
  EXPECT_EQ(placement.local_size.from, "SLURM_STEP_TASKS_PER_NODE");
  EXPECT_EQ(placement.node.value, 1);
  EXPECT_THAT(placement.nodes.value, ElementsAre("node1", "node2", "node3", "node4"));
  EXPECT_EQ(placement.head_node(), "node1");
  EXPECT_THAT(placement.devices.value, ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(placement.deadline.value, std::nullopt);
  EXPECT_EQ(placement.restart_count.value, 0);
  EXPECT_EQ(placement.restart_count.from, "");
  EXPECT_EQ(placement.job.value, "1");
  EXPECT_EQ(placement.cpus_per_task.value, 0);
  EXPECT_THAT(placement.notices, IsEmpty());
}

TEST(Placement, OfARecordedMpirun) {
  const Placement placement = derive_placement(recorded::mpirun_rank_5());
  EXPECT_EQ(placement.launcher.value, Launcher::mpirun);
  EXPECT_EQ(placement.rank.value, 5);
  EXPECT_EQ(placement.rank.from, "OMPI_COMM_WORLD_RANK");
  EXPECT_EQ(placement.size.value, 16);
  EXPECT_EQ(placement.local_rank.value, 1);
  EXPECT_EQ(placement.local_size.value, 4);
  EXPECT_EQ(placement.node.value, 1);
  EXPECT_EQ(placement.node.from, "SLURMD_NODENAME");
  EXPECT_THAT(placement.nodes.value, ElementsAre("node1", "node2", "node3", "node4"));
  EXPECT_EQ(placement.job.value, "1");
}

TEST(Placement, OfMpirunWithoutSlurm) {
  const Placement placement = derive_placement({{"OMPI_COMM_WORLD_RANK", "1"},
                                                {"OMPI_COMM_WORLD_SIZE", "2"},
                                                {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_EQ(placement.rank.value, 1);
  EXPECT_EQ(placement.size.value, 2);
  EXPECT_EQ(placement.node.value, 0);
  EXPECT_EQ(placement.head_node(), "");
  EXPECT_EQ(placement.job.value, "");
  EXPECT_THAT(placement.notices, IsEmpty());
}

TEST(Placement, OfMpichsLauncher) {
  const Placement placement = derive_placement(
      {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}});
  EXPECT_EQ(placement.launcher.value, Launcher::mpirun);
  EXPECT_EQ(placement.rank.value, 3);
  EXPECT_EQ(placement.size.value, 4);
  EXPECT_EQ(placement.local_rank.value, 1);
  EXPECT_EQ(placement.local_size.value, 2);
}

TEST(Placement, WithoutALauncherIsOneProcessAlone) {
  const Placement placement = derive_placement({{"HOME", "/home/alice"}});
  EXPECT_EQ(placement.launcher.value, Launcher::alone);
  EXPECT_EQ(placement.rank.value, 0);
  EXPECT_EQ(placement.size.value, 1);
  EXPECT_EQ(placement.local_size.value, 1);
  EXPECT_THAT(placement.nodes.value, IsEmpty());
  EXPECT_THAT(placement.notices, IsEmpty());
}

TEST(Placement, InABatchScriptIsOneProcessAloneWithANotice) {
  // The batch shell has SLURM_PROCID=0 too, but no step.
  const Placement placement = derive_placement({{"SLURM_JOB_ID", "7"},
                                                {"SLURM_JOB_NODELIST", "node[1-2]"},
                                                {"SLURM_NNODES", "2"},
                                                {"SLURM_NTASKS", "8"},
                                                {"SLURM_PROCID", "0"},
                                                {"SLURM_LOCALID", "0"},
                                                {"SLURM_NODEID", "0"}});
  EXPECT_EQ(placement.launcher.value, Launcher::alone);
  EXPECT_EQ(placement.size.value, 1);
  EXPECT_THAT(placement.notices,
              ElementsAre(AllOf(HasSubstr("job 7"), HasSubstr("start the program with srun"))));
}

TEST(Placement, KnowsEndOfJobRestartsAndCores) {
  os::Environment environment = recorded::srun_rank_5();
  environment["SLURM_JOB_END_TIME"] = "1700000000";
  environment["SLURM_RESTART_COUNT"] = "2";
  environment["SLURM_CPUS_PER_TASK"] = "1";
  const Placement placement = derive_placement(environment);
  ASSERT_TRUE(placement.deadline.value);
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*placement.deadline.value), 1'700'000'000);
  EXPECT_EQ(placement.deadline.from, "SLURM_JOB_END_TIME");
  EXPECT_EQ(placement.restart_count.value, 2);
  EXPECT_EQ(placement.cpus_per_task.value, 1);
}

TEST(Placement, OfAJobWithoutALimitHasNoDeadline) {
  for (const std::string end : {"0", "9223372036854775807"}) {
    EXPECT_EQ(derive_placement({{"SLURM_JOB_END_TIME", end}}).deadline.value, std::nullopt);
  }
}

TEST(Placement, NamesAnArrayTaskByTheArrayAndItsNumber) {
  os::Environment environment = recorded::srun_rank_5();
  environment["SLURM_JOB_ID"] = "1235";
  environment["SLURM_ARRAY_JOB_ID"] = "1234";
  environment["SLURM_ARRAY_TASK_ID"] = "7";
  EXPECT_EQ(derive_placement(environment).job.value, "1234_7");
}

TEST(Placement, RefusesVariablesThatContradictEachOther) {
  using Changes = os::Environment;
  const std::vector<std::pair<Changes, std::vector<std::string>>> cases = {
      {{{"SLURM_PROCID", "16"}}, {"SLURM_PROCID=16", "SLURM_STEP_NUM_TASKS=16"}},
      {{{"SLURM_PROCID", "x5"}}, {"SLURM_PROCID='x5'"}},
      {{{"SLURM_PROCID", "-1"}}, {"SLURM_PROCID='-1'"}},
      {{{"SLURM_PROCID", ""}}, {"SLURM_PROCID is not set", "SLURM_STEP_ID"}},
      {{{"SLURM_LOCALID", "4"}}, {"SLURM_LOCALID=4", "SLURM_STEP_TASKS_PER_NODE=4"}},
      {{{"SLURM_NODEID", "4"}}, {"SLURM_NODEID=4", "4 nodes (SLURM_STEP_TASKS_PER_NODE)"}},
      {{{"SLURM_STEP_NUM_NODES", "5"}},
       {"SLURM_STEP_NODELIST='node[1-4]' names 4 nodes", "SLURM_STEP_NUM_NODES=5"}},
      {{{"SLURM_STEP_TASKS_PER_NODE", "4(x3)"}},
       {"SLURM_STEP_NUM_TASKS=16", "4(x3) adds up to 12"}},
      {{{"SLURM_STEP_NODELIST", "node[1-"}}, {"SLURM_STEP_NODELIST='node[1-' cannot be read"}},
      {{{"OMPI_COMM_WORLD_RANK", "0"}},
       {"OMPI_COMM_WORLD_SIZE is not set", "OMPI_COMM_WORLD_RANK"}},
      {{{"SLURM_JOB_END_TIME", "soon"}}, {"SLURM_JOB_END_TIME='soon'"}},
      {{{"SLURM_STEP_NUM_TASKS", "99999999999"}},
       {"SLURM_STEP_NUM_TASKS=99999999999 is too large"}},
  };
  for (const auto& [changes, words] : cases) {
    os::Environment environment = recorded::srun_rank_5();
    for (const auto& [name, value] : changes) environment[name] = value;
    for (const std::string& word : words) EXPECT_THAT(refusal(environment), HasSubstr(word));
  }
}

TEST(Description, ShowsEachValueWithItsVariable) {
  os::Environment environment = recorded::srun_rank_5();
  environment["SLURM_JOB_END_TIME"] = "1700000000";
  environment["SLURM_STEP_NUM_TASKS"] = "8";
  environment["SLURM_STEP_TASKS_PER_NODE"] = "2(x4)";
  const std::string text = describe(derive_placement(environment));
  EXPECT_THAT(text, HasSubstr("launcher      srun  (SLURM_STEP_ID)\n"));
  EXPECT_THAT(text, HasSubstr("rank          5  (SLURM_PROCID)\n"));
  EXPECT_THAT(text, HasSubstr("nodes         node1,node2,node3,node4  (SLURM_STEP_NODELIST)\n"));
  EXPECT_THAT(text, HasSubstr("head_node     node1  (SLURM_STEP_NODELIST)\n"));
  EXPECT_THAT(text, HasSubstr("devices       0,1,2,3  (CUDA_VISIBLE_DEVICES)\n"));
  EXPECT_THAT(text, HasSubstr("deadline      2023-11-14 22:13:20 UTC  (SLURM_JOB_END_TIME)\n"));
  EXPECT_THAT(text, HasSubstr("restart_count 0  (default)\n"));
  EXPECT_THAT(text, HasSubstr("notice        this step has 8 of the allocation's 16 tasks"));
}

TEST(Description, ShortensALongListOfNodes) {
  const std::string text =
      describe(derive_placement({{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_NODELIST", "n[1-1000]"}}));
  EXPECT_THAT(text, HasSubstr("n15,n16,... 1000 in all  (SLURM_JOB_NODELIST)\n"));
}

}  // namespace
}  // namespace lockstep::job
