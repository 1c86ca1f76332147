#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/schema.hpp"
#include "core/deadline.hpp"

namespace lockstep::comm {

enum class Backend { automatic, mpi, nccl };
enum class Overlap {
  automatic,  ///< inline where every core has a rank, else thread
  in_line,    ///< a bucket is reduced in the hook that completed it
  thread,     ///< a communication thread reduces while the backward pass goes on
};

/// The `comm` section.
struct Settings {
  Backend backend = Backend::automatic;
  Overlap overlap = Overlap::automatic;
  double bucket_mib = 8;                  ///< gradients a bucket
  std::optional<std::int64_t> piece_kib;  ///< MPI: largest single call; auto by placement
  double patience_s = 300;                ///< give up on a peer after this many seconds

  void declare(config::Schema& schema);
};

/// How long a wait may take now. Asked while waiting, so that a signal can shorten a wait that has
/// begun.
using Patience = std::function<Clock::duration()>;

/// Who the ranks are, for messages.
struct Peer {
  std::string host;
  int pid = 0;
};

}  // namespace lockstep::comm
