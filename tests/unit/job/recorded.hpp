#pragma once

#include <string>

#include "os/host.hpp"

/// Environments as Slurm 22.05 and Open MPI 4.1 make them, shortened to what bears on placement.
namespace lockstep::job::recorded {

/// `srun` in a batch script with -N4 --ntasks-per-node=4 --gpus-per-node=4: rank 5 of 16.
inline os::Environment srun_rank_5() {
  return {{"CUDA_VISIBLE_DEVICES", "0,1,2,3"},
          {"HOSTNAME", "node1"},
          {"OMPI_APP_CTX_NUM_PROCS", "16"},
          {"OMPI_MCA_ess", "pmi"},
          {"PMIX_HOSTNAME", "node2"},
          {"PMIX_NAMESPACE", "slurm.pmix.1.0"},
          {"PMIX_RANK", "5"},
          {"SLURMD_NODENAME", "node2"},
          {"SLURM_CPUS_ON_NODE", "8"},
          {"SLURM_GTIDS", "4,5,6,7"},
          {"SLURM_JOBID", "1"},
          {"SLURM_JOB_CPUS_PER_NODE", "8(x4)"},
          {"SLURM_JOB_ID", "1"},
          {"SLURM_JOB_NAME", "hello"},
          {"SLURM_JOB_NODELIST", "node[1-4]"},
          {"SLURM_JOB_NUM_NODES", "4"},
          {"SLURM_LOCALID", "1"},
          {"SLURM_NNODES", "4"},
          {"SLURM_NODEID", "1"},
          {"SLURM_NODELIST", "node[1-4]"},
          {"SLURM_NODE_ALIASES", "(null)"},
          {"SLURM_NPROCS", "16"},
          {"SLURM_NTASKS", "16"},
          {"SLURM_NTASKS_PER_NODE", "4"},
          {"SLURM_PROCID", "5"},
          {"SLURM_STEPID", "0"},
          {"SLURM_STEP_ID", "0"},
          {"SLURM_STEP_NODELIST", "node[1-4]"},
          {"SLURM_STEP_NUM_NODES", "4"},
          {"SLURM_STEP_NUM_TASKS", "16"},
          {"SLURM_STEP_TASKS_PER_NODE", "4(x4)"},
          {"SLURM_TASKS_PER_NODE", "4(x4)"}};
}

/// `mpirun` in the same job: rank 5, whose SLURM_* are those of mpirun's daemon on node2.
inline os::Environment mpirun_rank_5() {
  os::Environment environment = srun_rank_5();
  for (const auto& [name, value] : os::Environment{{"OMPI_COMM_WORLD_RANK", "5"},
                                                   {"OMPI_COMM_WORLD_SIZE", "16"},
                                                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                                   {"OMPI_COMM_WORLD_NODE_RANK", "1"},
                                                   {"PMIX_NAMESPACE", "1156907009"},
                                                   {"SLURM_GTIDS", "0"},
                                                   {"SLURM_LOCALID", "0"},
                                                   {"SLURM_NNODES", "3"},
                                                   {"SLURM_NODEID", "0"},
                                                   {"SLURM_NPROCS", "3"},
                                                   {"SLURM_NTASKS", "3"},
                                                   {"SLURM_NTASKS_PER_NODE", "1"},
                                                   {"SLURM_PROCID", "0"},
                                                   {"SLURM_STEP_NODELIST", "node[2-4]"},
                                                   {"SLURM_STEP_NUM_NODES", "3"},
                                                   {"SLURM_STEP_NUM_TASKS", "3"},
                                                   {"SLURM_STEP_TASKS_PER_NODE", "1(x3)"},
                                                   {"SLURM_TASKS_PER_NODE", "1(x3)"}}) {
    environment[name] = value;
  }
  return environment;
}

}  // namespace lockstep::job::recorded
