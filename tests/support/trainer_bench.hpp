#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/tiny_net.hpp"
#include "train/trainer.hpp"

namespace lockstep::tests {

/// Keeps what a trainer tells.
class Recorder final : public train::Observer {
 public:
  void after_step(const train::StepResult& result) override { steps.push_back(result); }
  void after_evaluation(const train::EvaluationResult& result) override {
    evaluations.push_back(result);
  }
  void after_save(const train::SaveResult& result) override { saves.push_back(result); }
  void at_stop(const train::StopResult& result) override { stops.push_back(result); }

  std::vector<train::StepResult> steps;
  std::vector<train::EvaluationResult> evaluations;
  std::vector<train::SaveResult> saves;
  std::vector<train::StopResult> stops;
};

/// A trainer with everything around it, on 24 pictures of 8x8 pixels and 4 classes: 2 steps an
/// epoch.
class TrainerBench {
 public:
  /// `config` is where the settings are written and read, and beside which STOP is looked for;
  /// `root` is the run directory.
  TrainerBench(const std::filesystem::path& config, const std::filesystem::path& root,
               comm::Communicator& ranks, checkpoint::Group& group, model::Model& model,
               const std::vector<std::string>& overrides)
      : model_(model),
        checkpointer_(root, group, "test"),
        rules_(signals_, {.stop_file = config.parent_path() / "STOP", .deadline = {}}) {
    std::ofstream(config) << "run: {seed: 3}\n"
                             "data: {format: synthetic, image_size: 8, classes: 4, samples: 24}\n"
                             "train: {global_batch: 12, steps: 6, evaluate: false}\n"
                             "optimizer: {learning_rate: 0.05, weight_decay: 0.001}\n";
    settings_.read(config, overrides);
    datasets_ = data::open(settings_.data);
    model_.parameters().allocate({.report_count = train::report_count(ranks.size()), .seed = 3});
    trainer_.emplace(train::Parts{.settings = settings_,
                                  .datasets = datasets_,
                                  .model = model_,
                                  .gradients = ranks,
                                  .control = ranks,
                                  .checkpointer = checkpointer_,
                                  .rules = rules_,
                                  .observers = {&recorder_},
                                  .resume = {},
                                  .facts = {}});
  }

  [[nodiscard]] train::Trainer& trainer() { return *trainer_; }
  [[nodiscard]] const Recorder& seen() const { return recorder_; }
  [[nodiscard]] std::vector<float> weights() const {
    const auto flat = model_.parameters().weights();
    return {flat.begin(), flat.end()};
  }

 private:
  train::Settings settings_;
  model::Model& model_;
  data::Datasets datasets_;
  checkpoint::Checkpointer checkpointer_;
  os::StopSignals signals_;
  train::StopRules rules_;
  Recorder recorder_;
  std::optional<train::Trainer> trainer_;
};

}  // namespace lockstep::tests
