#include "data/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::data {
namespace {

constexpr double kLargestImage = 65'535;

using Problems = std::vector<config::Problem>;

void check_idx(const Settings& settings, const config::Schema& schema, Problems& problems) {
  if (settings.path.empty()) {
    problems.push_back(
        {schema.where("data.path"),
         "data.format idx needs data.path, a folder with train-images-idx3-ubyte[.gz], "
         "train-labels-idx1-ubyte[.gz], t10k-images-idx3-ubyte[.gz] and "
         "t10k-labels-idx1-ubyte[.gz]; "
         "without data try data.format: synthetic"});
  }
  // A default that is written out is no harm: a resolved configuration must read back.
  const Settings defaults;
  const auto complain_if = [&](bool differs, const char* key) {
    if (!differs) return;
    problems.push_back({schema.where(key),
                        fmt::format("{} describes synthetic data; with data.format idx the files "
                                    "say it: leave it out",
                                    key)});
  };
  complain_if(settings.image_size != defaults.image_size, "data.image_size");
  complain_if(settings.channels != defaults.channels, "data.channels");
  complain_if(settings.classes != defaults.classes, "data.classes");
  complain_if(settings.samples != defaults.samples, "data.samples");
}

void check_synthetic(const Settings& settings, const config::Schema& schema, Problems& problems) {
  if (settings.image_size < 1) {
    problems.push_back({schema.where("data.image_size"),
                        "data.format synthetic needs data.image_size, the height and width in "
                        "pixels, such as 224"});
  }
}

void check_statistics(const Settings& settings, const config::Schema& schema, Problems& problems) {
  const auto one_a_channel = [&](const char* key, const std::vector<double>& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    if (settings.format == Format::synthetic && count != 0 && count != settings.channels) {
      problems.push_back(
          {schema.where(key), fmt::format("{} has {} values, but data.channels is {}: give one a "
                                          "channel",
                                          key, count, settings.channels)});
    }
  };
  one_a_channel("data.mean", settings.mean);
  one_a_channel("data.std", settings.std);
  if (!settings.mean.empty() && !settings.std.empty() &&
      settings.mean.size() != settings.std.size()) {
    problems.push_back({schema.where("data.std"),
                        fmt::format("data.std has {} values and data.mean {}: both need one "
                                    "a channel",
                                    settings.std.size(), settings.mean.size())});
  }
  for (const double value : settings.mean) {
    if (!(value >= 0 && value <= 1)) {
      problems.push_back(
          {schema.where("data.mean"),
           fmt::format("data.mean holds {}, but pixels are scaled to [0, 1]: divide by 255",
                       value)});
    }
  }
  for (const double value : settings.std) {
    if (!(value > 0)) {
      problems.push_back(
          {schema.where("data.std"),
           fmt::format("data.std holds {}, but it divides: it must be above 0", value)});
    }
  }
}

}  // namespace

void Settings::declare(config::Schema& schema) {
  schema.add_choice(
      "data.format", format, {{"idx", Format::idx}, {"synthetic", Format::synthetic}},
      "What the data are: IDX files (MNIST and its kin), or pictures made from their number.");
  schema.add("data.path", path, "idx: folder that holds both splits, visible on every node.")
      .may_change();
  schema.add("data.image_size", image_size, "synthetic: height and width in pixels.")
      .at_least(0)
      .at_most(kLargestImage);
  schema.add("data.channels", channels, "synthetic: channels of a picture.")
      .at_least(1)
      .at_most(16);
  schema.add("data.classes", classes, "synthetic: number of classes.").at_least(2).at_most(100'000);
  schema
      .add("data.samples", samples,
           "synthetic: training samples; validation has a quarter of them.")
      .at_least(1);
  schema.add("data.mean", mean, "Mean of a channel, pixels in [0, 1]; empty: 0.5 each.");
  schema.add("data.std", std,
             "Standard deviation of a channel, pixels in [0, 1]; empty: 0.25 each.");
  schema
      .add("data.crop_padding", crop_padding,
           "Training: pad by so many pixels of zeros on each side, then crop to the old size at "
           "random; 0: off.")
      .at_least(0)
      .at_most(1024);
  schema.add("data.flip", flip, "Training: mirror left to right with probability 1/2.");
  schema
      .add("data.threads", threads,
           "Threads a rank that read and augment; auto: usable cores of the rank less one.")
      .at_least(1)
      .at_most(1024)
      .may_change();
  schema.add("data.ring", ring, "Batches that are ready, being filled or in use.")
      .at_least(2)
      .at_most(1024)
      .may_change();
  schema
      .add("data.patience_s", patience_s,
           "Seconds to wait for a batch before the run ends with an error.")
      .above(0)
      .at_most(86'400)
      .may_change();
}

void Settings::check(const config::Schema& schema, Problems& problems) const {
  switch (format) {
    case Format::idx:
      check_idx(*this, schema, problems);
      break;
    case Format::synthetic:
      check_synthetic(*this, schema, problems);
      break;
  }
  check_statistics(*this, schema, problems);
}

}  // namespace lockstep::data
