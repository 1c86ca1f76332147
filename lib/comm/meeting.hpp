#pragma once

#include <memory>
#include <optional>

#include "comm/vigil.hpp"
#include "mpi/comm.hpp"

namespace lockstep::comm {

/// Brings all ranks to the same collective before any of them makes a call that cannot be given up.
/// It is a barrier that also compares what is called, polled against the patience; a microsecond
/// where ranks arrive together.
class Meeting {
 public:
  /// Collective over `peers`.
  Meeting(const mpi::Comm& peers, Vigil::Options options);
  ~Meeting();

  /// Returns when all ranks are here for this call. Throws PeerError; after that it always does.
  void gather(const Call& call);
  [[nodiscard]] const Roster& roster() const noexcept { return vigil_.roster(); }

 private:
  struct Agreement;
  void agree(const Call& call);
  [[noreturn]] void explain_disagreement(const Call& call);

  mpi::Comm comm_;
  Vigil vigil_;
  std::unique_ptr<Agreement> agreement_;
  std::uint64_t sequence_ = 0;
  std::optional<PeerError> failure_;
};

}  // namespace lockstep::comm
