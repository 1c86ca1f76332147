#include "comm/vigil.hpp"

#include <sched.h>

#include <thread>

namespace lockstep::comm {
namespace {

using namespace std::chrono_literals;

// Ranks in step arrive within microseconds: until then nothing may cost time.
constexpr auto kSpin = 50us;
// Then others may have the core. A sleeping thread wakes some 60 us late, so a short wait only
// yields.
constexpr auto kYield = 500us;
constexpr auto kSleep = 20us;
// How often to look at the patience and the messages, and how often to look for dead neighbours
// (that reads /proc).
constexpr auto kTick = 1ms;
constexpr auto kLookForDead = 100ms;

void rest(Clock::duration waited) {
  if (waited < kYield) {
    ::sched_yield();
  } else {
    std::this_thread::sleep_for(kSleep);
  }
}

}  // namespace

Vigil::Vigil(const mpi::Comm& peers, Options options)
    : options_(std::move(options)), roster_(Roster::gather(peers)), roll_call_(peers, roster_) {
  expect(static_cast<bool>(options_.patience), "a communicator is made with a patience");
}

Position Vigil::position(std::uint64_t sequence, const Call& call) const {
  return {sequence, call.text(), options_.phase ? options_.phase() : std::string()};
}

void Vigil::read_mail(std::uint64_t sequence, const Call& call) {
  while (const auto mail = roll_call_.next_mail())
    roll_call_.handle(*mail, position(sequence, call));
}

void Vigil::wait(std::uint64_t sequence, const Call& call, const std::function<bool()>& is_done) {
  const auto began = Clock::now();
  do {
    if (is_done()) return;
  } while (Clock::now() - began < kSpin);
  keep(sequence, call, began, is_done);
}

void Vigil::keep(std::uint64_t sequence, const Call& call, Clock::time_point began,
                 const std::function<bool()>& is_done) {
  auto next_tick = began + kTick;
  auto next_look = began + kLookForDead;
  std::optional<Deadline> last_word;  // set when the others have been asked
  while (!is_done()) {
    const auto now = Clock::now();
    rest(now - began);
    if (now < next_tick) continue;
    next_tick = now + kTick;
    read_mail(sequence, call);
    if (now >= next_look) {
      next_look = now + kLookForDead;
      if (const auto gone = roster_.find_gone())
        give_up(explain_gone(roster_, position(sequence, call), *gone));
    }
    if (!last_word && now - began > options_.patience()) {
      roll_call_.ask();
      last_word = Deadline::after(options_.grace);
    }
    if (last_word && last_word->passed()) {
      give_up(explain_late(roster_, position(sequence, call), now - began, roll_call_.answers()));
    }
  }
}

void Vigil::give_up(const PeerError& why) {
  roll_call_.say_farewell(why);
  throw why;
}

}  // namespace lockstep::comm
