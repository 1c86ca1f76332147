#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/host.hpp"

namespace lockstep::job {

enum class Launcher {
  alone,   ///< no launcher: one process
  srun,    ///< a Slurm step
  mpirun,  ///< Open MPI's launcher, inside an allocation or not
};
[[nodiscard]] std::string_view name(Launcher launcher) noexcept;

/// A value and the variable that it came from; "" says that it is a default.
template <typename T>
struct Derived {
  T value{};
  std::string from;
};

/// What the launcher told this process. Derived from the environment alone, before MPI is asked:
/// inside a step SLURM_STEP_* win over SLURM_JOB_*; under mpirun OMPI_COMM_WORLD_* win over the
/// SLURM_* (those are orted's). The guard (identity.hpp) then compares it with what MPI says.
struct Placement {
  Derived<Launcher> launcher;
  Derived<int> rank;
  Derived<int> size;
  Derived<int> local_rank;
  Derived<int> local_size;
  Derived<int> node;  ///< index of this process's node
  Derived<std::vector<std::string>>
      nodes;  ///< of the step; without one, of the allocation; may be empty
  Derived<std::vector<std::string>>
      devices;  ///< entries of CUDA_VISIBLE_DEVICES, opaque; empty: not said
  Derived<std::optional<std::chrono::system_clock::time_point>> deadline;  ///< SLURM_JOB_END_TIME
  Derived<int> restart_count;        ///< SLURM_RESTART_COUNT, 0 on the first start
  Derived<std::string> job;          ///< "1234" or "1234_7" in an array; "" without Slurm
  Derived<int> cpus_per_task;        ///< 0: not said
  std::vector<std::string> notices;  ///< things worth a line: an allocation without a step, ...

  [[nodiscard]] std::string head_node() const {
    return nodes.value.empty() ? "" : nodes.value.front();
  }
};

/// Throws Error{environment} where the variables contradict each other, naming them and their
/// values.
[[nodiscard]] Placement derive_placement(const os::Environment& environment);

/// Which accelerator this rank takes of the `visible` ones: the only one there is, else the local
/// rank's. Throws Error{environment} if there are fewer devices than local ranks.
[[nodiscard]] int device_index(const Placement& placement, int visible);

/// What to say if the task asked for more cores than it may use: bound by variables of an outer
/// job, it would train several times slower for days. "" if all is well, or nothing was asked for.
[[nodiscard]] std::string affinity_notice(const Placement& placement, int usable_cores);

/// Several lines for `lockstep-train --whoami`: each value with the variable that it came from.
[[nodiscard]] std::string describe(const Placement& placement);

}  // namespace lockstep::job
