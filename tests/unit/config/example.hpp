#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/schema.hpp"

namespace lockstep::config {

enum class Precision { fp32, bf16, off };

/// A program's settings in small: each type of key, two sections with equal words, and a section in
/// a section.
struct Example {
  std::string name = "run";
  std::int64_t steps = 100;
  std::int64_t seed = 1;
  std::optional<std::int64_t> micro_batch;
  std::optional<double> clip;
  bool flip = false;
  double learning_rate = 0.1;
  double weight_decay = 0.2;
  std::vector<double> mean;
  std::vector<std::int64_t> milestones = {30, 60};
  std::vector<std::string> tags;
  std::filesystem::path path;
  Precision precision = Precision::fp32;
  std::string kind = "sgd";
  double warm_start = 0.01;
  Schema schema;

  Example() {
    schema.add("run.name", name, "Name of the run.");
    schema.add("run.tags", tags, "Words to find it by.");
    schema.add("train.steps", steps, "Steps to take.").at_least(1).may_change();
    schema.add("train.seed", seed, "Where all random numbers begin.").at_least(0).at_most(1e18);
    schema.add("train.micro_batch", micro_batch, "Samples that a device holds at once.")
        .at_least(1);
    schema.add_choice(
        "train.precision", precision,
        {{"fp32", Precision::fp32}, {"bf16", Precision::bf16}, {"off", Precision::off}},
        "Numbers that the network computes with.");
    schema.add("data.path", path, "Folder of the data.").may_change();
    schema.add("data.flip", flip, "Mirror at random.");
    schema.add("data.mean", mean, "Mean of each channel.").at_least(0).below(1);
    schema.add("optimizer.kind", kind, "Which optimizer.").one_of({"sgd", "lars"});
    schema.add("optimizer.learning_rate", learning_rate, "Rate for one step.").above(0);
    schema.add("optimizer.weight_decay", weight_decay, "Pull towards zero.").at_least(0);
    schema.add("optimizer.clip", clip, "Largest norm of a gradient.").above(0);
    schema.add("schedule.warmup.start", warm_start, "Rate at the first step.");
    schema.add("schedule.milestones", milestones, "Epochs after which the rate falls.");
  }

  /// Every problem as "where: message", a line each; "" if there is none.
  std::string read(const std::string& text, const std::vector<std::string>& overrides = {}) {
    std::string lines;
    for (const Problem& problem : schema.read_text(text, "c.yaml", overrides)) {
      lines += problem.where + ": " + problem.message + "\n";
    }
    return lines;
  }
};

}  // namespace lockstep::config
