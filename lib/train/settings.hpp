#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/settings.hpp"
#include "comm/options.hpp"
#include "config/schema.hpp"
#include "data/settings.hpp"
#include "model/settings.hpp"

namespace lockstep::train {

/// The `run` section.
struct RunSettings {
  std::string name = "run";
  std::filesystem::path dir = "checkpoints";  ///< the run directory is dir/name
  std::int64_t seed = 1;
};

enum class Precision { fp32, bf16 };

/// The `train` section.
struct TrainSettings {
  std::int64_t global_batch = 0;            ///< samples an optimizer step, over all ranks
  std::optional<std::int64_t> micro_batch;  ///< samples a rank holds at once; auto: its whole share
  std::int64_t epochs = 0;                  ///< one of epochs and steps is given
  std::int64_t steps = 0;
  Precision precision = Precision::fp32;
  double label_smoothing = 0;
  double clip_norm = 0;  ///< largest global norm of the gradient; 0: off
  bool evaluate = true;  ///< after each epoch and at the end
  std::optional<std::int64_t>
      threads;  ///< threads of one operation; auto: the cores that a rank has
};

enum class OptimizerName { sgd, adam, adamw };

/// The `optimizer` section.
struct OptimizerSettings {
  OptimizerName name = OptimizerName::sgd;
  double learning_rate = 0.1;
  double scale_for_batch =
      0;  ///< >0: the rate is meant for this global batch and scaled by global_batch / it
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 0;  ///< not on norms and biases
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

enum class ScheduleName { constant, step, cosine };

/// The `schedule` section. Lengths are epochs, fractions allowed.
struct ScheduleSettings {
  ScheduleName name = ScheduleName::constant;
  double warmup_epochs = 0;
  double every_epochs = 30;   ///< step
  double factor = 0.1;        ///< step
  double final_fraction = 0;  ///< cosine: of the base rate, at the end
};

/// The `monitor` section.
struct MonitorSettings {
  double log_every_s = 30;  ///< in a log file; a terminal's line is rewritten as it changes
};

/// Everything that lockstep-train reads, and the schema that read it.
class Settings {
 public:
  RunSettings run;
  model::Settings model;
  data::Settings data;
  TrainSettings train;
  OptimizerSettings optimizer;
  ScheduleSettings schedule;
  checkpoint::Settings checkpoint;
  comm::Settings comm;
  MonitorSettings monitor;

  Settings();
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  /// Throws Error{usage} that lists everything that is wrong.
  void read(const std::filesystem::path& file, const std::vector<std::string>& overrides);

  [[nodiscard]] const config::Schema& schema() const noexcept { return schema_; }
  [[nodiscard]] std::filesystem::path run_directory() const { return run.dir / run.name; }
  /// Of the whole resolved configuration: ranks of one launch must have the same.
  [[nodiscard]] std::string hash() const;

 private:
  void declare();
  [[nodiscard]] std::vector<config::Problem> check() const;

  config::Schema schema_;
};

}  // namespace lockstep::train
