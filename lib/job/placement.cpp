#include "job/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/error.hpp"
#include "job/slurm_step.hpp"
#include "job/variables.hpp"

namespace lockstep::job {
namespace {

// SLURM_PROCID alone is no proof of a step: the batch script has it too, as 0.
std::string step_evidence(const Variables& variables) {
  if (const auto found =
          variables.first_text({"SLURM_STEP_ID", "SLURM_STEPID", "SLURM_STEP_NUM_TASKS"}))
    return found->from;
  if (variables.count("SLURM_PROCID").value_or(0) > 0) return "SLURM_PROCID";
  return "";
}

// Never by the job's name: a step may be called "interactive", and a shell may not.
Derived<Launcher> find_launcher(const Variables& variables) {
  if (variables.has("OMPI_COMM_WORLD_RANK")) return {Launcher::mpirun, "OMPI_COMM_WORLD_RANK"};
  // MPICH's and Intel's launchers; srun --mpi=pmi2 sets PMI_RANK too, but no MPI_LOCALRANKID.
  if (variables.has("PMI_RANK") && variables.has("MPI_LOCALRANKID"))
    return {Launcher::mpirun, "PMI_RANK"};
  if (std::string evidence = step_evidence(variables); !evidence.empty())
    return {Launcher::srun, std::move(evidence)};
  return {Launcher::alone, ""};
}

void check_below(const Derived<int>& value, const Derived<int>& size) {
  if (value.value >= size.value) {
    contradiction(
        fmt::format("{}={} does not fit {}={}", value.from, value.value, size.from, size.value));
  }
}

void place_by_srun(const Variables& variables, Placement& placement) {
  const std::string why =
      fmt::format("{} says that this is a task of a Slurm step", placement.launcher.from);
  const auto tasks = step_tasks(variables);
  if (!tasks)
    throw Error(ErrorKind::environment,
                fmt::format("SLURM_STEP_NUM_TASKS is not set, although {}", why));
  placement.size = *tasks;
  placement.rank = tasks->value == 1 && !variables.has("SLURM_PROCID")
                       ? Derived<int>{0, tasks->from}
                       : variables.need_count("SLURM_PROCID", why);
  check_below(placement.rank, placement.size);
  const NodeShare share = node_share(variables, placement.rank, placement.size);
  placement.node = share.node;
  placement.local_rank = share.local_rank;
  placement.local_size = share.local_size;
  placement.nodes = step_nodes(variables);
  const auto allocated = variables.count("SLURM_NTASKS");
  if (allocated && *allocated > tasks->value) {
    placement.notices.push_back(
        fmt::format("this step has {} of the allocation's {} tasks ({}={}, SLURM_NTASKS={}); "
                    "if all should run, start the program with srun",
                    tasks->value, *allocated, tasks->from, tasks->value, *allocated));
  }
}

// mpirun's daemons are a step themselves: a rank inherits their SLURM_PROCID, SLURM_NODEID and
// SLURM_STEP_*, which are not its own. Only the job's variables and the node's name are true.
void place_by_mpirun(const Variables& variables, Placement& placement) {
  const bool is_open_mpi = placement.launcher.from == "OMPI_COMM_WORLD_RANK";
  const std::string why =
      fmt::format("{} says that mpirun started this process", placement.launcher.from);
  placement.rank = variables.need_count(placement.launcher.from, why);
  placement.size = variables.need_count(is_open_mpi ? "OMPI_COMM_WORLD_SIZE" : "PMI_SIZE", why);
  placement.local_rank =
      variables.need_count(is_open_mpi ? "OMPI_COMM_WORLD_LOCAL_RANK" : "MPI_LOCALRANKID", why);
  placement.local_size =
      variables.need_count(is_open_mpi ? "OMPI_COMM_WORLD_LOCAL_SIZE" : "MPI_LOCALNRANKS", why);
  // The allocation's, of which mpirun may use a part.
  placement.nodes = job_nodes(variables);
  if (const auto here = variables.text("SLURMD_NODENAME")) {
    const auto& names = placement.nodes.value;
    const auto found = std::find(names.begin(), names.end(), *here);
    if (found != names.end())
      placement.node = {static_cast<int>(found - names.begin()), "SLURMD_NODENAME"};
  }
  const auto inherited = variables.count("SLURM_PROCID");
  if (inherited && *inherited != placement.rank.value) {
    placement.notices.push_back(
        fmt::format("started by mpirun ({}={}); SLURM_PROCID={} belongs to mpirun's daemon and is "
                    "not used",
                    placement.rank.from, placement.rank.value, *inherited));
  }
}

void place_alone(const Variables& variables, Placement& placement) {
  placement.rank = {0, ""};
  placement.size = {1, ""};
  placement.local_rank = {0, ""};
  placement.local_size = {1, ""};
  placement.nodes = job_nodes(variables);
  const auto job = variables.first_text({"SLURM_JOB_ID", "SLURM_JOBID"});
  if (!job) return;
  placement.notices.push_back(
      fmt::format("job {} ({}) is an allocation without a step: this process runs alone, as rank 0 "
                  "of 1; to use the allocation start the program with srun (or mpirun)",
                  job->value, job->from));
}

void check(const Placement& placement) {
  check_below(placement.rank, placement.size);
  check_below(placement.local_rank, placement.local_size);
  if (placement.local_size.value > placement.size.value) {
    contradiction(fmt::format("{} says {} ranks on this node, but {} says {} in all",
                              placement.local_size.from, placement.local_size.value,
                              placement.size.from, placement.size.value));
  }
  const auto nodes = static_cast<int>(placement.nodes.value.size());
  if (nodes > 0)
    check_below(placement.node,
                {nodes, fmt::format("number of nodes in {}", placement.nodes.from)});
}

Derived<std::string> find_job(const Variables& variables) {
  // Both, or neither: a lone SLURM_ARRAY_JOB_ID was inherited from the shell that called sbatch.
  const auto array = variables.text("SLURM_ARRAY_JOB_ID");
  const auto task = variables.text("SLURM_ARRAY_TASK_ID");
  if (array && task)
    return {fmt::format("{}_{}", *array, *task), "SLURM_ARRAY_JOB_ID, SLURM_ARRAY_TASK_ID"};
  return variables.first_text({"SLURM_JOB_ID", "SLURM_JOBID"}).value_or(Derived<std::string>{});
}

// Opaque: a number, or the UUID of a GPU or of a MIG slice.
Derived<std::vector<std::string>> find_devices(const Variables& variables) {
  const auto text = variables.text("CUDA_VISIBLE_DEVICES");
  if (!text) return {};
  Derived<std::vector<std::string>> devices{{}, "CUDA_VISIBLE_DEVICES"};
  if (*text == "NoDevFiles") return devices;  // Slurm's word for none
  for (std::size_t begin = 0; begin <= text->size();) {
    const std::size_t end = std::min(text->find(',', begin), text->size());
    if (end > begin) devices.value.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  return devices;
}

Derived<std::optional<std::chrono::system_clock::time_point>> find_deadline(
    const Variables& variables) {
  // Zero, or a time beyond what the clock counts in nanoseconds, stands for a job without a limit.
  constexpr std::int64_t kNever = 9'000'000'000;
  const auto end = variables.number("SLURM_JOB_END_TIME");
  if (!end || *end == 0 || *end >= kNever) return {};
  return {std::chrono::system_clock::time_point(std::chrono::seconds(*end)), "SLURM_JOB_END_TIME"};
}

}  // namespace

Placement derive_placement(const os::Environment& environment) {
  const Variables variables(environment);
  Placement placement;
  placement.launcher = find_launcher(variables);
  switch (placement.launcher.value) {
    case Launcher::srun:
      place_by_srun(variables, placement);
      break;
    case Launcher::mpirun:
      place_by_mpirun(variables, placement);
      break;
    case Launcher::alone:
      place_alone(variables, placement);
      break;
  }
  check(placement);
  placement.devices = find_devices(variables);
  placement.deadline = find_deadline(variables);
  placement.restart_count = variables.first_count({"SLURM_RESTART_COUNT"}).value_or(Derived<int>{});
  placement.job = find_job(variables);
  placement.cpus_per_task = variables.first_count({"SLURM_CPUS_PER_TASK"}).value_or(Derived<int>{});
  if (std::string notice = affinity_notice(placement, os::usable_cores()); !notice.empty()) {
    placement.notices.push_back(std::move(notice));
  }
  return placement;
}

int device_index(const Placement& placement, int visible) {
  const int local_rank = placement.local_rank.value;
  const int local_size = placement.local_size.value;
  // Slurm bound one to each task, and that one is always number 0 to its process.
  if (visible == 1) return 0;
  if (visible >= local_size && local_rank < visible) return local_rank;
  throw Error(ErrorKind::environment,
              fmt::format("rank {} sees {} accelerators, but there are {} ranks on its node: ask "
                          "for one a rank with "
                          "--gpus-per-node={}, or start fewer ranks a node",
                          placement.rank.value, visible, local_size, local_size));
}

std::string affinity_notice(const Placement& placement, int usable_cores) {
  const Derived<int>& wanted = placement.cpus_per_task;
  if (wanted.value <= usable_cores) return "";
  return fmt::format(
      "{}={}, but this process may use only {} core{}: is it bound by variables of an outer job "
      "(SLURM_CPU_BIND)? Remove SLURM_*, SBATCH_* and PMIX_* from the environment before sbatch",
      wanted.from, wanted.value, usable_cores, usable_cores == 1 ? "" : "s");
}

}  // namespace lockstep::job
