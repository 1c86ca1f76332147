#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/options.hpp"
#include "mpi/comm.hpp"
#include "os/host.hpp"

namespace lockstep::comm {

/// Who the ranks of a communicator are, and which of those on this host have ended.
class Roster {
 public:
  struct Member {
    Peer peer;
    std::uint64_t start_time = 0;  ///< of its process, as it sees itself
  };

  Roster(std::vector<Member> members, int own_rank);
  /// Collective: every rank tells who it is.
  [[nodiscard]] static Roster gather(const mpi::Comm& peers);

  [[nodiscard]] int size() const noexcept { return static_cast<int>(members_.size()); }
  [[nodiscard]] int own_rank() const noexcept { return own_rank_; }
  [[nodiscard]] const Peer& peer(int rank) const {
    return members_.at(static_cast<std::size_t>(rank)).peer;
  }
  /// "rank 1 on node-a".
  [[nodiscard]] std::string name(int rank) const;
  /// "rank 1 on node-a (pid 123)"; several: "rank 1 on node-a (pid 123), rank 3 on node-b (pid 456)
  /// and 12 more".
  [[nodiscard]] std::string list(const std::vector<int>& ranks) const;

  /// A rank on this host whose process was there when the roster was made and is not any more.
  [[nodiscard]] std::optional<int> find_gone() const;
  /// A rank on this host whose process is stopped (SIGSTOP, a debugger).
  [[nodiscard]] std::optional<int> find_stopped() const;

 private:
  std::vector<Member> members_;
  int own_rank_;
  // Only those whose process could be seen then: a peer in another container has the same host
  // name, and pids of its own.
  std::vector<std::pair<int, os::ProcessId>> neighbours_;
};

}  // namespace lockstep::comm
