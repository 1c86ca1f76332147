#pragma once

#include <functional>
#include <optional>
#include <string>

#include "comm/options.hpp"
#include "comm/roll_call.hpp"

namespace lockstep::comm {

/// A wait for other ranks: busy at first, because they usually come at once; then with the core
/// lent to others; always with an eye on the patience, on peers that die, and on what other waiting
/// ranks ask.
class Vigil {
 public:
  struct Options {
    Patience patience;
    std::function<std::string()> phase;
    Clock::duration grace;
  };

  /// Collective over `peers`.
  Vigil(const mpi::Comm& peers, Options options);

  /// Before entering a collective: throws if another rank has given up meanwhile, for then it
  /// cannot complete.
  void look_around(std::uint64_t sequence, const Call& call) { read_mail(sequence, call); }
  /// Returns when `is_done` is true, or throws PeerError.
  void wait(std::uint64_t sequence, const Call& call, const std::function<bool()>& is_done);

  /// Tells the others, so that nobody waits for this rank, and throws `why`.
  [[noreturn]] void give_up(const PeerError& why);

  [[nodiscard]] const Roster& roster() const noexcept { return roster_; }
  [[nodiscard]] Position position(std::uint64_t sequence, const Call& call) const;

 private:
  void read_mail(std::uint64_t sequence, const Call& call);
  void keep(std::uint64_t sequence, const Call& call, Clock::time_point began,
            const std::function<bool()>& is_done);

  Options options_;
  Roster roster_;
  RollCall roll_call_;
};

}  // namespace lockstep::comm
