#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/schema.hpp"

namespace lockstep::data {

enum class Format { idx, synthetic };

/// The `data` section.
struct Settings {
  Format format = Format::idx;
  std::filesystem::path path;     ///< a folder that holds both splits
  std::int64_t image_size = 0;    ///< synthetic: height = width
  std::int64_t channels = 3;      ///< synthetic
  std::int64_t classes = 10;      ///< synthetic
  std::int64_t samples = 1024;    ///< synthetic: training samples; validation has a quarter of them
  std::vector<double> mean;       ///< a channel, in [0, 1]; empty: 0.5 each
  std::vector<double> std;        ///< a channel; empty: 0.25 each
  std::int64_t crop_padding = 0;  ///< pad by this many pixels (zeros), then crop at random; 0: off
  bool flip = false;              ///< mirror left-right with probability 1/2
  std::optional<std::int64_t>
      threads;  ///< decoding threads a rank; auto: usable cores of the rank less one, at least 1
  std::int64_t ring = 4;    ///< batches ready, being filled or in use; at least 2
  double patience_s = 120;  ///< give up on a batch after this many seconds

  void declare(config::Schema& schema);
  void check(const config::Schema& schema, std::vector<config::Problem>& problems) const;
};

}  // namespace lockstep::data
