#pragma once

#include <memory>
#include <string>
#include <vector>

#include "checkpoint/checkpointer.hpp"
#include "comm/communicator.hpp"
#include "data/dataset.hpp"
#include "data/loader.hpp"
#include "data/plan.hpp"
#include "model/model.hpp"
#include "train/input.hpp"
#include "train/observer.hpp"
#include "train/optimizer.hpp"
#include "train/phase_clock.hpp"
#include "train/reducer.hpp"
#include "train/resume.hpp"
#include "train/schedule.hpp"
#include "train/settings.hpp"
#include "train/state.hpp"
#include "train/step_report.hpp"
#include "train/stop_rules.hpp"

namespace lockstep::train {

/// What a trainer is built of. All borrowed; they outlive it.
struct Parts {
  const Settings& settings;
  const data::Datasets& datasets;
  model::Model& model;
  comm::Communicator& gradients;  ///< reduces buckets
  comm::Communicator& control;    ///< host memory: evaluation, batch norm, agreement
  checkpoint::Checkpointer& checkpointer;
  StopRules& rules;
  std::vector<Observer*> observers;  ///< of this rank; most have none
  Resume resume;
  checkpoint::Facts facts;  ///< of the run; step and samples are filled in
  std::int64_t loader_threads = 1;
};

/// The loop. All ranks do the same steps in the same order; whatever they must agree on rides in
/// the reduction that each step makes anyway.
class Trainer {
 public:
  explicit Trainer(Parts parts);

  /// Resumes, trains until something says stop, and leaves a committed checkpoint (unless the run
  /// diverged).
  Stop run();
  /// The same scores as after an epoch, of the state that is loaded now.
  EvaluationResult evaluate();
  /// Loads without training; the step directory that it came from, empty if there was none.
  std::filesystem::path load(const Resume& from);

  [[nodiscard]] Progress progress() const;

 private:
  void resume();
  [[nodiscard]] std::optional<checkpoint::Loaded> restore(const Resume& from);
  [[nodiscard]] std::string how_exact(const checkpoint::Loaded& loaded) const;
  [[nodiscard]] data::LoaderOptions loader_options() const;
  [[nodiscard]] const data::Batch& next_batch();
  void forward_backward(const data::Batch& batch);
  [[nodiscard]] at::Tensor forward(const data::Batch& batch, data::Share samples);
  void send_report(const data::Batch& batch, double loss);
  [[nodiscard]] StepReport reduce();
  [[nodiscard]] Stop update(const StepReport& total);
  [[nodiscard]] bool has_finite_weights() const;
  void after_step(const StepReport& total, Stop stop);
  void save();
  void save_if_possible();
  void finish(Stop stop);

  [[nodiscard]] bool is_save_due() const;
  [[nodiscard]] bool is_epoch_end() const;
  [[nodiscard]] double deadline_lead_s() const;
  [[nodiscard]] std::vector<checkpoint::Saveable*> state();

  Parts parts_;
  const Settings& settings_;
  data::Order order_;
  std::int64_t steps_;
  std::int64_t micro_batches_;
  PhaseClock clock_;
  Input input_;
  std::unique_ptr<Optimizer> optimizer_;
  Schedule schedule_;
  ModelState model_state_;
  CursorState cursor_;
  RandomState random_;
  Reducer reducer_;
  model::SumOverRanks sum_over_ranks_;
  data::TrainingPlan plan_;
  std::unique_ptr<data::Loader> loader_;

  double rate_ = 0;  // of the last step
  double step_s_ = 0;
  double busy_s_ = 0;
  double evaluation_s_ = 0;  // the slowest so far
  double save_s_ = 0;        // the slowest save so far
  std::int64_t saved_step_ = -1;
  Clock::time_point saved_at_ = Clock::now();
};

/// Length of the run and sample order that the settings mean for this data.
[[nodiscard]] data::Order order_of(const Settings& settings, const data::Dataset& dataset);
[[nodiscard]] std::int64_t steps_of(const Settings& settings, const data::Order& order);

}  // namespace lockstep::train
