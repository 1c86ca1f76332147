#pragma once

#include <string>
#include <vector>

#include "comm/options.hpp"
#include "job/identity.hpp"
#include "job/placement.hpp"
#include "mpi/comm.hpp"

namespace lockstep::train {

/// Who takes part: what the launcher said, what MPI says, and that the two agree.
struct Launch {
  job::Placement placement;
  std::vector<job::RankFacts> ranks;
  int device = -1;      ///< accelerator of this rank; -1: none
  int local_ranks = 1;  ///< ranks of this node, by MPI
};

/// Gathers every rank's facts. Throws (as every rank does) where this rank alone can see that it is
/// a singleton.
[[nodiscard]] Launch gather_launch(const mpi::Comm& world, job::Placement placement,
                                   const std::string& config_hash);

/// The identity guard: throws CollectiveError with every contradiction.
void check_launch(const Launch& launch);

/// What `--whoami` prints for one rank.
[[nodiscard]] std::string describe(const Launch& launch, int rank);

/// Threads of one operation: the cores that this rank has for itself.
[[nodiscard]] int threads_of(const Launch& launch, std::optional<std::int64_t> setting);

/// Overlap::automatic decided: inline where every core has a rank, else a thread.
[[nodiscard]] comm::Overlap overlap_of(const Launch& launch, comm::Overlap setting, int threads);

}  // namespace lockstep::train
