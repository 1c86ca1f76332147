#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace lockstep::job {

/// Names inside a run directory, and who owns it. Only rank 0 makes, claims and deletes.
class RunDirectory {
 public:
  explicit RunDirectory(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] const std::filesystem::path& root() const noexcept { return root_; }
  [[nodiscard]] std::filesystem::path config() const { return root_ / "config.yaml"; }
  [[nodiscard]] std::filesystem::path metrics() const { return root_ / "metrics.jsonl"; }
  [[nodiscard]] std::filesystem::path stop_file() const { return root_ / "STOP"; }
  [[nodiscard]] std::filesystem::path done_file() const { return root_ / "DONE"; }
  [[nodiscard]] std::filesystem::path attempt(int number) const;  ///< attempts/0001
  [[nodiscard]] std::filesystem::path outcome(int number) const;  ///< attempts/0001/outcome.json
  [[nodiscard]] std::filesystem::path rank_outcome(
      int number, int rank) const;  ///< attempts/0001/rank-0007.json

  /// LOCKSTEP_ATTEMPT if the supervisor set it, else the last attempt there is + 1; the first is 1.
  [[nodiscard]] int next_attempt(std::optional<int> given) const;

 private:
  std::filesystem::path root_;
};

/// The one live owner of a run directory: a second start is refused (Error{environment}) with the
/// job and the host of the first. The claim is the file OWNER; on the same host it is stale when
/// its process is gone, on another when its job is ours (a requeue) or nobody has touched it for
/// two minutes.
class Ownership {
 public:
  struct Timing {
    std::chrono::seconds touch_every{30};
    std::chrono::seconds stale_after{120};
  };

  Ownership(const RunDirectory& directory, std::string job)
      : Ownership(directory, std::move(job), Timing{}) {}
  Ownership(const RunDirectory& directory, std::string job, Timing timing);
  ~Ownership();
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

  /// Says "still here"; called now and then, costs one small file's read and a utimensat when 30 s
  /// have passed. Throws Error{environment} if somebody else owns the directory by now: this
  /// process had been frozen, or cut off, for longer than two minutes.
  void refresh();

 private:
  std::filesystem::path file_;
  std::string content_;
  Timing timing_;
  std::chrono::steady_clock::time_point last_touch_;
};

}  // namespace lockstep::job
