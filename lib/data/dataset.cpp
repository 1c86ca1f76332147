#include "data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "data/idx.hpp"
#include "data/synthetic.hpp"

namespace lockstep::data {
namespace {

Datasets open_format(const Settings& settings) {
  switch (settings.format) {
    case Format::idx:
      return open_idx(settings.path);
    case Format::synthetic:
      return open_synthetic(
          {.shape = {settings.image_size, settings.image_size, settings.channels},
           .classes = settings.classes,
           .train_samples = settings.samples,
           .validation_samples = std::max<std::int64_t>(1, settings.samples / 4)});
  }
  throw Error(ErrorKind::internal, "data.format has a value without a reader");
}

void require_same_shape(const ImageShape& train, const ImageShape& validation) {
  if (train == validation) return;
  throw Error(
      ErrorKind::data,
      fmt::format(
          "training images are {} x {} x {} (height, width, channels), but validation images are "
          "{} x {} x {}: both splits must agree",
          train.height, train.width, train.channels, validation.height, validation.width,
          validation.channels));
}

void require_one_a_channel(const char* key, const std::vector<double>& values,
                           std::int64_t channels) {
  if (values.empty() || static_cast<std::int64_t>(values.size()) == channels) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} has {} values, but the images have {} channels: give one a channel",
                          key, values.size(), channels));
}

}  // namespace

Datasets open(const Settings& settings) {
  Datasets datasets = open_format(settings);
  require_same_shape(datasets.train->shape(), datasets.validation->shape());
  require_one_a_channel("data.mean", settings.mean, datasets.train->shape().channels);
  require_one_a_channel("data.std", settings.std, datasets.train->shape().channels);
  return datasets;
}

}  // namespace lockstep::data
