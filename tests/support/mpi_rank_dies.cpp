// Rank 1 dies by SIGKILL while the others wait for it; what they say and how the job ends is for
// the script that started this.
#include <chrono>
#include <csignal>
#include <cstdio>

#include "comm/factory.hpp"
#include "comm/peer_error.hpp"
#include "mpi/session.hpp"

int main(int argc, char** argv) {
  namespace comm = lockstep::comm;
  const lockstep::mpi::Session session(argc, argv);
  const auto peers =
      comm::make("mpi", session.world(),
                 {.patience = [] { return lockstep::Clock::duration(std::chrono::seconds(60)); }});
  peers->barrier().wait();
  if (peers->rank() == 1) static_cast<void>(std::raise(SIGKILL));
  try {
    peers->barrier().wait();
  } catch (const comm::PeerError& error) {
    std::fprintf(stderr, "culprit=%d %s\n", error.culprit_rank(), error.what());
    lockstep::mpi::abort(69);
  }
  std::fprintf(stderr, "the barrier completed without rank 1\n");
  lockstep::mpi::abort(70);
}
