#pragma once

#include <optional>

namespace lockstep::os {

/// Handlers that set a flag and do nothing else, for SIGTERM, SIGINT, SIGUSR1 and SIGUSR2: Slurm,
/// mpirun and people all use one of these to say "stop soon", often several times. A third SIGINT
/// ends the process at once, for someone at a terminal who means it.
///
/// One instance a program, made after MPI and NCCL are up: some versions of NCCL take SIGUSR1 for
/// themselves. reinstall() puts ours back if a library replaced them.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The first signal that came, if any did.
  [[nodiscard]] std::optional<int> received() const noexcept;
  /// SIGTERM has come: by srun -K and by mpirun it may also mean that a peer died.
  [[nodiscard]] bool terminated() const noexcept;
  /// True if a library had replaced a handler.
  bool reinstall();
};

/// "SIGTERM" and so on.
[[nodiscard]] const char* signal_name(int number) noexcept;

/// For helper threads: signals go to the main thread.
void block_signals_in_this_thread();

}  // namespace lockstep::os
