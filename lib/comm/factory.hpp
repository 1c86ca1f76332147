#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "comm/communicator.hpp"
#include "comm/options.hpp"
#include "comm/peer_error.hpp"
#include "mpi/comm.hpp"

namespace lockstep::comm {

struct MakeOptions {
  Patience patience;            ///< how long any wait may take
  std::size_t piece_bytes = 0;  ///< MPI: largest single call; 0: one call whatever the size
  int device = -1;              ///< accelerator of this rank; -1: none
  /// What this rank is at, for messages: "step 120, backward". Called from the thread that waits;
  /// may be empty.
  std::function<std::string()> phase = {};
  /// How long a wait that has passed its patience listens to what the others say before it gives
  /// up.
  Clock::duration grace = std::chrono::seconds(2);
  /// MPI: called from another thread when a call that cannot be given up does not return. It must
  /// end the process; empty: such a call has no limit.
  std::function<void(const PeerError&)> on_stuck = {};
};

/// Names of what was built, best first: {"nccl", "mpi"} or {"mpi"}.
[[nodiscard]] std::span<const std::string_view> available() noexcept;

/// Collective over `peers`, which is duplicated. A backend that was not built is Error{usage}: the
/// message says what was built and how to get the other.
[[nodiscard]] std::unique_ptr<Communicator> make(std::string_view backend, const mpi::Comm& peers,
                                                 MakeOptions options);

/// The same collectives, carried out in order by one thread of its own; Pending::wait() waits for
/// that thread. For MPI where cores are spare; NCCL has a stream and needs none.
[[nodiscard]] std::unique_ptr<Communicator> on_a_thread(std::unique_ptr<Communicator> inner);

}  // namespace lockstep::comm
