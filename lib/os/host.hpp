#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::os {

using Environment = std::map<std::string, std::string, std::less<>>;

/// This process's environment variables. Code that derives something from them takes the map, so
/// that tests can hand in recorded ones.
[[nodiscard]] Environment environment();

/// gethostname(2): unlike HOSTNAME, right on every node of a job.
[[nodiscard]] std::string host_name();
[[nodiscard]] int process_id() noexcept;
/// Cores that this process may run on (sched_getaffinity), not those that the machine has.
[[nodiscard]] int usable_cores();
/// Largest resident set so far, in bytes (getrusage).
[[nodiscard]] std::uint64_t peak_resident_bytes();
/// Paths of the shared libraries that are loaded now.
[[nodiscard]] std::vector<std::string> loaded_libraries();
/// Path of the running program, and a hash over its content that differs if the programs differ.
[[nodiscard]] std::string program_path();

/// A process of this host as its peers see it; it is gone when the pid is free, a zombie, or
/// somebody else's by now (another start time).
struct ProcessId {
  int pid = 0;
  std::uint64_t start_time =
      0;  ///< clock ticks after boot, /proc/PID/stat field 22; 0: cannot be seen from here

  [[nodiscard]] static ProcessId of(int pid);
  [[nodiscard]] bool is_alive() const;
  /// By SIGSTOP or a debugger.
  [[nodiscard]] bool is_stopped() const;
};

}  // namespace lockstep::os
