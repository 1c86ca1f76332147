#include "train/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.hpp"

namespace lockstep::train {
namespace {

void declare_run(config::Schema& schema, RunSettings& run) {
  schema.add("run.name", run.name, "name of the run; its directory is run.dir/run.name")
      .may_change();
  schema.add("run.dir", run.dir, "folder of run directories").may_change();
  schema.add("run.seed", run.seed, "seed of weights, sample order and augmentation").at_least(0);
}

void declare_train(config::Schema& schema, TrainSettings& train) {
  schema.add("train.global_batch", train.global_batch, "samples an optimizer step, over all ranks")
      .required()
      .at_least(1);
  schema
      .add("train.micro_batch", train.micro_batch,
           "samples a rank holds at once; auto: its whole share")
      .at_least(1);
  schema.add("train.epochs", train.epochs, "length of the run in epochs (or give train.steps)")
      .at_least(0)
      .may_change();
  schema
      .add("train.steps", train.steps,
           "length of the run in optimizer steps (or give train.epochs)")
      .at_least(0)
      .may_change();
  schema.add_choice("train.precision", train.precision,
                    {{"fp32", Precision::fp32}, {"bf16", Precision::bf16}},
                    "arithmetic of forward and backward: fp32, or bf16 autocast with fp32 weights");
  schema
      .add("train.label_smoothing", train.label_smoothing,
           "share of the label given to all classes alike")
      .at_least(0)
      .below(1);
  schema.add("train.clip_norm", train.clip_norm, "largest global norm of the gradient; 0: off")
      .at_least(0);
  schema
      .add("train.evaluate", train.evaluate,
           "evaluate on the validation data after each epoch and at the end")
      .may_change();
  schema
      .add("train.threads", train.threads,
           "threads of one operation; auto: the cores that a rank has")
      .at_least(1);
}

void declare_optimizer(config::Schema& schema, OptimizerSettings& optimizer) {
  schema.add_choice(
      "optimizer.name", optimizer.name,
      {{"sgd", OptimizerName::sgd}, {"adam", OptimizerName::adam}, {"adamw", OptimizerName::adamw}},
      "update rule");
  schema.add("optimizer.learning_rate", optimizer.learning_rate, "base learning rate, per step")
      .above(0);
  schema
      .add("optimizer.scale_for_batch", optimizer.scale_for_batch,
           "if above 0: the global batch that learning_rate is meant for; the rate is scaled by "
           "global_batch / it")
      .at_least(0);
  schema.add("optimizer.momentum", optimizer.momentum, "sgd: momentum").at_least(0).below(1);
  schema.add("optimizer.nesterov", optimizer.nesterov, "sgd: Nesterov's momentum");
  schema
      .add("optimizer.weight_decay", optimizer.weight_decay,
           "weight decay, not on norms and biases")
      .at_least(0);
  schema.add("optimizer.beta1", optimizer.beta1, "adam, adamw: decay of the first moment")
      .at_least(0)
      .below(1);
  schema.add("optimizer.beta2", optimizer.beta2, "adam, adamw: decay of the second moment")
      .at_least(0)
      .below(1);
  schema.add("optimizer.epsilon", optimizer.epsilon, "adam, adamw: added to the denominator")
      .above(0);
}

void declare_schedule(config::Schema& schema, ScheduleSettings& schedule) {
  schema.add_choice("schedule.name", schedule.name,
                    {{"constant", ScheduleName::constant},
                     {"step", ScheduleName::step},
                     {"cosine", ScheduleName::cosine}},
                    "how the learning rate goes on after the warm-up");
  schema.add("schedule.warmup_epochs", schedule.warmup_epochs, "epochs of linear warm-up")
      .at_least(0);
  schema.add("schedule.every_epochs", schedule.every_epochs, "step: epochs between two drops")
      .above(0);
  schema.add("schedule.factor", schedule.factor, "step: the rate is multiplied by this at a drop")
      .above(0)
      .at_most(1);
  schema
      .add("schedule.final_fraction", schedule.final_fraction,
           "cosine: share of the base rate at the end")
      .at_least(0)
      .at_most(1);
}

}  // namespace

Settings::Settings() { declare(); }

void Settings::declare() {
  declare_run(schema_, run);
  model.declare(schema_);
  data.declare(schema_);
  declare_train(schema_, train);
  declare_optimizer(schema_, optimizer);
  declare_schedule(schema_, schedule);
  checkpoint.declare(schema_);
  comm.declare(schema_);
  schema_
      .add("monitor.log_every_s", monitor.log_every_s,
           "seconds between two progress lines in a log file")
      .above(0)
      .may_change();
}

void Settings::read(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  std::vector<config::Problem> problems = schema_.read(file, overrides);
  // A value that could not be read must not be blamed a second time for what it would mean.
  if (problems.empty()) problems = check();
  config::throw_if_any(problems);
}

std::vector<config::Problem> Settings::check() const {
  std::vector<config::Problem> problems;
  const auto complain = [&](std::string_view key, std::string message) {
    problems.push_back({schema_.where(key), std::move(message)});
  };
  if ((train.epochs > 0) == (train.steps > 0)) {
    complain(train.steps > 0 ? "train.steps" : "train.epochs",
             fmt::format("give one of train.epochs ({}) and train.steps ({}), above 0",
                         train.epochs, train.steps));
  }
  if (run.name.empty() || run.name.find('/') != std::string::npos || run.name.front() == '.') {
    complain("run.name", fmt::format("run.name '{}' must be a plain folder name", run.name));
  }
  if (train.micro_batch && *train.micro_batch > train.global_batch) {
    complain("train.micro_batch",
             fmt::format("train.micro_batch {} is larger than train.global_batch {}",
                         *train.micro_batch, train.global_batch));
  }
  if (optimizer.nesterov && (optimizer.name != OptimizerName::sgd || optimizer.momentum == 0)) {
    complain("optimizer.nesterov",
             "optimizer.nesterov needs optimizer.name sgd and a momentum above 0");
  }
  data.check(schema_, problems);
  return problems;
}

std::string Settings::hash() const { return hex(fnv1a(schema_.print())); }

}  // namespace lockstep::train
