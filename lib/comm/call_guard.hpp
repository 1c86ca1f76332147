#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "comm/options.hpp"
#include "comm/peer_error.hpp"
#include "comm/roster.hpp"

namespace lockstep::comm {

/// What ends the process when a blocking call does not return; called from a thread of its own.
using OnStuck = std::function<void(const PeerError&)>;

/// Puts a limit on calls that MPI offers no way to give up: all ranks have met before such a call,
/// so it is short, unless one of them dies or is stopped inside of it. A thread looks ten times a
/// second.
class CallGuard {
 public:
  CallGuard(const Roster& roster, Patience patience, OnStuck on_stuck);

  /// The calling thread is inside a blocking call as long as this lives. `what` is a literal.
  class Scope {
   public:
    Scope(CallGuard& guard, const char* what) : guard_(guard) { guard_.enter(what); }
    ~Scope() { guard_.leave(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CallGuard& guard_;
  };

 private:
  struct Inside {
    const char* what;
    Clock::time_point since;
  };

  void enter(const char* what);
  void leave();
  void look(const std::stop_token& stop);
  [[nodiscard]] std::optional<PeerError> finding();

  const Roster& roster_;
  Patience patience_;
  OnStuck on_stuck_;
  std::mutex mutex_;
  std::optional<Inside> inside_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace lockstep::comm
