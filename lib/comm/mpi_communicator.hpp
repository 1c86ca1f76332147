#pragma once

#include <memory>

#include "comm/factory.hpp"
#include "mpi/comm.hpp"

namespace lockstep::comm {

/// Collectives by blocking MPI calls, each behind a meeting of all ranks with a deadline. Measured:
/// that costs nothing, while MPI_Iallreduce takes twice as long as MPI_Allreduce. The Pending that
/// comes back is complete. Host memory only.
[[nodiscard]] std::unique_ptr<Communicator> make_mpi(const mpi::Comm& peers, MakeOptions options);

}  // namespace lockstep::comm
