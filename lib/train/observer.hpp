#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "train/phase_clock.hpp"
#include "train/stop.hpp"

namespace lockstep::train {

/// How far a run is and has to go.
struct Progress {
  std::int64_t step = 0;   ///< finished optimizer steps
  std::int64_t steps = 0;  ///< of the whole run
  std::int64_t epoch = 0;  ///< that the last finished step belongs to, from 0
  std::int64_t samples = 0;
};

/// One finished step; numbers are over all ranks, times are those of the training thread here.
struct StepResult {
  Progress progress;
  double loss = 0;
  double rate = 0;
  double images_per_s = 0;  ///< global batch / wall time; saving and evaluating left out
  std::uint64_t ids_hash = 0;
  PhaseClock::Seconds seconds{};
  std::vector<float> busy_of_rank_s;
};

struct EvaluationResult {
  Progress progress;
  std::int64_t samples = 0;
  double loss = 0;
  double top1 = 0;  ///< fraction
  double top5 = 0;
  double seconds = 0;
};

struct SaveResult {
  Progress progress;
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  double stall_s = 0;  ///< how long training waited
  double write_s = 0;
};

struct StopResult {
  Progress progress;
  Stop stop = Stop::no;
};

/// Whoever wants to know how training goes; it never decides anything.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The state is loaded, or there was none to load; training begins.
  virtual void after_resume() {}
  virtual void after_step(const StepResult& /*result*/) {}
  virtual void after_evaluation(const EvaluationResult& /*result*/) {}
  virtual void after_save(const SaveResult& /*result*/) {}
  virtual void at_stop(const StopResult& /*result*/) {}
};

}  // namespace lockstep::train
