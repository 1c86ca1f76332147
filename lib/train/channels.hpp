#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "comm/communicator.hpp"
#include "comm/factory.hpp"
#include "comm/options.hpp"
#include "comm/peer_error.hpp"
#include "mpi/comm.hpp"
#include "os/signals.hpp"
#include "train/launch.hpp"
#include "train/observer.hpp"

namespace lockstep::train {

/// The communicators of a run and how long they wait. `control` always speaks MPI on host memory;
/// `gradients` is what the settings ask for. Follows the steps, to say where a wait happened.
class Channels final : public Observer {
 public:
  Channels(const comm::Settings& settings, const mpi::Comm& peers, const Launch& launch,
           const os::StopSignals& signals);
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  /// Throws Error{usage} if the settings ask for what this build or this device cannot do.
  void check() const;
  /// Collective, after check().
  void open_gradients(int threads);

  [[nodiscard]] const mpi::Comm& peers() const noexcept { return peers_; }
  [[nodiscard]] comm::Communicator& control() const noexcept { return *control_; }
  [[nodiscard]] comm::Communicator& gradients() const noexcept { return *gradients_; }
  /// Largest single MPI call; 0: one call whatever the size.
  [[nodiscard]] std::size_t piece_bytes() const noexcept { return piece_bytes_; }
  /// "inline", "thread" or "stream".
  [[nodiscard]] const std::string& overlap() const noexcept { return overlap_; }

  /// What is written down before a stuck call ends the process (see comm::MakeOptions::on_stuck).
  void set_last_words(std::function<void(const comm::PeerError&)> last_words);
  /// The last finished step.
  [[nodiscard]] std::int64_t step() const noexcept { return step_; }
  void after_step(const StepResult& result) override;

 private:
  [[nodiscard]] std::unique_ptr<comm::Communicator> make(std::string_view backend,
                                                         comm::MakeOptions options);
  [[noreturn]] void end_stuck(const comm::PeerError& error);
  // Of a step's own reductions. After SIGTERM a silent peer may be a dead one: then a wait may take
  // max(5 s, 3 steps). Once a stop is agreed everyone was alive, and saving may take its time.
  [[nodiscard]] Clock::duration patience() const;

  const comm::Settings& settings_;
  const Launch& launch_;
  const os::StopSignals& signals_;
  mpi::Comm peers_;
  std::mutex last_words_mutex_;
  std::function<void(const comm::PeerError&)> last_words_;
  std::atomic<std::int64_t> step_ = 0;  // read by whichever thread waits
  std::atomic<double> step_seconds_ = 0;
  std::size_t piece_bytes_ = 0;
  std::string overlap_;
  std::unique_ptr<comm::Communicator> control_;
  std::unique_ptr<comm::Communicator> gradients_;
};

}  // namespace lockstep::train
