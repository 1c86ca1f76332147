#include "os/signals.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace lockstep::os {
namespace {

constexpr std::array kStopSignals = {SIGTERM, SIGINT, SIGUSR1, SIGUSR2};

// A handler can reach nothing but statics; lock-free atomics are async-signal-safe (C++20
// [support.signal]).
std::atomic<int> first_signal = 0;
std::atomic<bool> term_came = false;
std::atomic<int> interrupts = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
  if (number == SIGTERM) term_came = true;
  if (number == SIGINT && ++interrupts >= 3) ::_exit(128 + SIGINT);
}

void install(int number) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // writes in progress go on
  sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  first_signal = 0;
  term_came = false;
  interrupts = 0;
  for (const int number : kStopSignals) install(number);
}

StopSignals::~StopSignals() {
  for (const int number : kStopSignals) ::signal(number, SIG_DFL);
}

std::optional<int> StopSignals::received() const noexcept {
  const int number = first_signal;
  return number == 0 ? std::nullopt : std::optional(number);
}

bool StopSignals::terminated() const noexcept { return term_came; }

bool StopSignals::reinstall() {
  bool replaced = false;
  for (const int number : kStopSignals) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    if (now.sa_handler != on_signal) {
      install(number);
      replaced = true;
    }
  }
  return replaced;
}

const char* signal_name(int number) noexcept {
  switch (number) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    default:
      return "signal";
  }
}

void block_signals_in_this_thread() {
  sigset_t all;
  sigfillset(&all);
  // Faults must still reach the thread that caused them.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, number);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace lockstep::os
