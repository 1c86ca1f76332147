#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/deadline.hpp"
#include "os/file.hpp"
#include "train/observer.hpp"

namespace lockstep::train {

/// metrics.jsonl: one JSON object a line, "event" first. Continued after a resume, never rewritten;
/// a torn last line is closed first. Step lines reach the file at least once a second and with
/// every checkpoint, all others at once.
class MetricsFile final : public Observer {
 public:
  MetricsFile(const std::filesystem::path& file, int attempt);
  ~MetricsFile() override;

  /// `facts` goes into the start event as it is: run, attempt, world, hosts, versions, config hash.
  void start(const nlohmann::ordered_json& facts);
  void after_step(const StepResult& result) override;
  void after_evaluation(const EvaluationResult& result) override;
  void after_save(const SaveResult& result) override;
  void at_stop(const StopResult& result) override;

 private:
  void add(const nlohmann::ordered_json& line);
  void flush();

  os::File file_;
  int attempt_;
  std::string waiting_;
  bool has_failed_ = false;
  bool is_saved_ = false;  // since the last step line
  Clock::time_point flushed_ = Clock::now();
};

}  // namespace lockstep::train
