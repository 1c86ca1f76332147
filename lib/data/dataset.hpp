#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/batch.hpp"
#include "data/settings.hpp"

namespace lockstep::data {

/// Numbered samples, each a picture and a label. All functions are const and safe from any thread.
/// What cannot be used throws Error{data} that names file, offset, expected and found.
class Dataset {
 public:
  virtual ~Dataset() = default;

  [[nodiscard]] virtual std::int64_t size() const = 0;
  [[nodiscard]] virtual ImageShape shape() const = 0;
  /// Names of the classes, in label order.
  [[nodiscard]] virtual const std::vector<std::string>& classes() const = 0;
  /// Pixels of sample `id` into `pixels` (shape().size_bytes() bytes); its label is returned.
  [[nodiscard]] virtual std::int64_t read(std::int64_t id, std::span<std::byte> pixels) const = 0;
  /// Differs if the data differ (count, shape, content sampled): a resumed run compares it.
  [[nodiscard]] virtual std::string fingerprint() const = 0;
};

struct Datasets {
  std::unique_ptr<Dataset> train;
  std::unique_ptr<Dataset> validation;
};

/// Opens what the settings name. Both splits must agree in shape and classes.
[[nodiscard]] Datasets open(const Settings& settings);

}  // namespace lockstep::data
