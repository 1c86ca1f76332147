#pragma once

#include <memory>

#include "comm/factory.hpp"
#include "mpi/comm.hpp"

namespace lockstep::comm {

/// Collectives by NCCL on device memory, on a stream of their own: they begin after what the
/// caller's thread has put on the legacy default stream so far, and after Pending::wait() that
/// stream goes on behind them. Collective.
[[nodiscard]] std::unique_ptr<Communicator> make_nccl(const mpi::Comm& peers, MakeOptions options);

}  // namespace lockstep::comm
