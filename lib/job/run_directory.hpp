#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

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
  [[nodiscard]] std::filesystem::path attempt(int number) const;                  ///< attempts/0001
  [[nodiscard]] std::filesystem::path outcome(int number) const;                  ///< attempts/0001/outcome.json
  [[nodiscard]] std::filesystem::path rank_outcome(int number, int rank) const;   ///< attempts/0001/rank-0007.json

  /// LOCKSTEP_ATTEMPT if the supervisor set it, else the last attempt there is + 1; the first is 1.
  [[nodiscard]] int next_attempt(std::optional<int> given) const;

 private:
  std::filesystem::path root_;
};

/// The one live owner of a run directory: a second start is refused (Error{environment}) with the job and the
/// host of the first. The claim is the file OWNER; it is stale when its process is gone (same host), its job is
/// ours (a requeue), or nobody has touched it for two minutes (another host).
class Ownership {
 public:
  Ownership(const RunDirectory& directory, std::string job);
  ~Ownership();
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

  /// Says "still here"; called now and then, costs one utimensat when 30 s have passed.
  void refresh();

 private:
  std::filesystem::path file_;
  std::string content_;
  std::int64_t last_touch_s_ = 0;
};

}  // namespace lockstep::job
