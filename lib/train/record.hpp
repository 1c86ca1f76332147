#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpointer.hpp"
#include "checkpoint/group.hpp"
#include "job/outcome.hpp"
#include "job/run_directory.hpp"
#include "train/channels.hpp"
#include "train/metrics_file.hpp"
#include "train/progress_line.hpp"
#include "train/run.hpp"
#include "train/trainer.hpp"

namespace lockstep::train {

/// What one attempt leaves in the run directory beside its checkpoints: the claim on it,
/// config.yaml, metrics.jsonl, outcome.json, DONE. Made on every rank; rank 0 writes.
class Record {
 public:
  Record(const Settings& settings, const Request& request, const Launch& launch,
         checkpoint::Group& group);

  [[nodiscard]] const job::RunDirectory& directory() const noexcept { return directory_; }
  /// Makes temporary names of this attempt its own.
  [[nodiscard]] std::string token() const;
  [[nodiscard]] checkpoint::Facts facts(const Channels& channels, int threads) const;
  /// This rank's: metrics and progress on rank 0, none elsewhere.
  [[nodiscard]] std::vector<Observer*> observers() const;

  [[nodiscard]] bool is_done() const noexcept { return done_at_.has_value(); }
  job::ExitCode say_done() const;

  void start(const Launch& launch, const Channels& channels, int threads);
  /// Scores `which` ("latest" or a step directory) without training.
  job::ExitCode evaluate(Trainer& trainer, const std::string& which);
  /// Runs `body`; an error leaves its outcome behind and goes on to the caller.
  job::ExitCode guard(Channels& channels, const std::function<job::ExitCode()>& body);
  /// The normal end, after the last checkpoint: DONE, outcome, then all ranks meet.
  job::ExitCode finish(Stop stop, const Progress& progress);

 private:
  void claim(const Request& request, const Launch& launch);
  void check_against_stored_config(const Request& request) const;
  void set_aside(const Resume& resume) const;
  void write_outcome(const job::Outcome& outcome) const;
  [[nodiscard]] std::string myself() const;

  const Settings& settings_;
  checkpoint::Group& group_;
  job::RunDirectory directory_;
  int attempt_ = 1;
  std::string job_;
  bool is_attempt_;  // evaluating only looks
  std::optional<std::int64_t> done_at_;
  std::unique_ptr<job::Ownership> ownership_;
  std::unique_ptr<MetricsFile> metrics_;
  std::unique_ptr<ProgressLine> progress_;
  std::unique_ptr<Observer> keeper_;
};

}  // namespace lockstep::train
