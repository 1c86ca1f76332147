#pragma once

#include <span>
#include <string>
#include <vector>

#include "job/placement.hpp"

namespace lockstep::job {

/// What one rank knows of itself once MPI runs; gathered from all ranks by the program.
struct RankFacts {
  int mpi_rank = 0;
  int mpi_size = 1;
  int launcher_rank = 0;  ///< Placement's
  int launcher_size = 1;
  std::string launcher;  ///< name(Launcher)
  int local_peers = 1;   ///< ranks that share this one's memory, by MPI
  int local_size = 1;    ///< the same as the launcher tells it
  std::string host;
  int pid = 0;
  std::string device;   ///< UUID of the accelerator, or "cpu"
  std::string program;  ///< hash of the program's file
  std::string config;   ///< hash of the resolved configuration

  /// One line of JSON, and back.
  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] static RankFacts from_text(const std::string& text);
};

/// What this process can see alone: MPI says it is rank 0 of 1, while the launcher started several.
/// Returns the sentence with the fix, or "" if there is nothing to say.
[[nodiscard]] std::string singleton_problem(const RankFacts& mine);

/// What all ranks together show, given in rank order: MPI size = step size, MPI rank = PROCID, one
/// rank a device, the peers of a node see each other, the same program and the same configuration
/// everywhere. Every contradiction is one sentence that names ranks, hosts, values and the fix;
/// empty if all agree.
[[nodiscard]] std::vector<std::string> identity_problems(std::span<const RankFacts> ranks);

}  // namespace lockstep::job
