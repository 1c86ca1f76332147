#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "comm/communicator.hpp"
#include "comm/options.hpp"
#include "mpi/comm.hpp"
#include "os/signals.hpp"
#include "train/launch.hpp"

namespace lockstep::train {

/// The communicators of a run and how long they wait. `control` always speaks MPI on host memory;
/// `gradients` is what the settings ask for.
class Channels {
 public:
  Channels(const comm::Settings& settings, const mpi::Comm& peers, const Launch& launch,
           const os::StopSignals& signals);
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  /// Collective; `arena_bytes` is what a step reduces.
  void open_gradients(const comm::Settings& settings, const Launch& launch, int threads,
                      std::size_t arena_bytes);

  mpi::Comm world;
  std::unique_ptr<comm::Communicator> control;
  std::unique_ptr<comm::Communicator> gradients;
  std::function<double()> step_seconds;  ///< of the last step; used after SIGTERM

  std::size_t piece_bytes = 0;
  std::string overlap;

 private:
  // After SIGTERM a silent peer may be a dead one: then a wait may take max(5 s, 3 steps) and no
  // more.
  [[nodiscard]] Clock::duration patience() const;

  const os::StopSignals& signals_;
  double patience_s_;
};

}  // namespace lockstep::train
