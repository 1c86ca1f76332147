#include "comm/call_guard.hpp"

#include <fmt/format.h>

#include <condition_variable>

#include "os/signals.hpp"

namespace lockstep::comm {
namespace {

constexpr std::chrono::milliseconds kLookEvery{100};

}  // namespace

CallGuard::CallGuard(const Roster& roster, Patience patience, OnStuck on_stuck)
    : roster_(roster),
      patience_(std::move(patience)),
      on_stuck_(std::move(on_stuck)),
      thread_([this](const std::stop_token& stop) { look(stop); }) {}

void CallGuard::enter(const char* what) {
  const std::scoped_lock lock(mutex_);
  inside_ = Inside{what, Clock::now()};
}

void CallGuard::leave() {
  const std::scoped_lock lock(mutex_);
  inside_.reset();
}

void CallGuard::look(const std::stop_token& stop) {
  os::block_signals_in_this_thread();
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    never.wait_for(lock, stop, kLookEvery, [] { return false; });
    if (const auto found = finding()) {
      on_stuck_(*found);
      return;
    }
  }
}

std::optional<PeerError> CallGuard::finding() {
  std::optional<Inside> inside;
  {
    const std::scoped_lock lock(mutex_);
    inside = inside_;
  }
  if (!inside || Clock::now() - inside->since < kLookEvery) return std::nullopt;
  const auto where = [&] {
    return fmt::format("while rank {} was inside {}, for {:.1f} s", roster_.own_rank(),
                       inside->what, seconds(Clock::now() - inside->since));
  };
  if (const auto gone = roster_.find_gone()) {
    return PeerError(*gone, roster_.name(*gone),
                     fmt::format("{} is gone: it ended {}", roster_.list({*gone}), where()));
  }
  if (Clock::now() - inside->since < patience_()) return std::nullopt;
  if (const auto stopped = roster_.find_stopped()) {
    return PeerError(
        *stopped, roster_.name(*stopped),
        fmt::format("{} is stopped: it did not go on {}", roster_.list({*stopped}), where()));
  }
  return PeerError(-1, "",
                   fmt::format("a rank or a link is stuck, which one cannot be told from here: all "
                               "ranks had come, but nothing moved {}",
                               where()));
}

}  // namespace lockstep::comm
