#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/placement.hpp"
#include "job/variables.hpp"

/// What Slurm's variables say about a step, each question with its order of evidence: the step's
/// own variables before the job's.
namespace lockstep::job {

/// Throws Error{environment}: two variables that cannot both be true.
[[noreturn]] void contradiction(const std::string& what);

/// Tasks of the step: SLURM_STEP_NUM_TASKS, SLURM_STEP_TASKS_PER_NODE; else the job's SLURM_NTASKS,
/// SLURM_NPROCS, SLURM_TASKS_PER_NODE, nodes x SLURM_NTASKS_PER_NODE, which must agree.
[[nodiscard]] std::optional<Derived<int>> step_tasks(const Variables& variables);

/// Names of the nodes; as many as the variable for their number says.
[[nodiscard]] Derived<std::vector<std::string>> step_nodes(const Variables& variables);
[[nodiscard]] Derived<std::vector<std::string>> job_nodes(const Variables& variables);

/// Where one rank of the step is.
struct NodeShare {
  Derived<int> node;
  Derived<int> local_rank;
  Derived<int> local_size;
};
/// Slurm says it; what it does not say is taken to be in blocks, as srun places by default.
[[nodiscard]] NodeShare node_share(const Variables& variables, const Derived<int>& rank,
                                   const Derived<int>& size);

}  // namespace lockstep::job
