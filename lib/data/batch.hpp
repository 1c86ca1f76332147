#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::data {

/// One picture: height x width x channels, interleaved (HWC).
struct ImageShape {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;

  [[nodiscard]] std::size_t size_bytes() const {
    return static_cast<std::size_t>(height * width * channels);
  }
  bool operator==(const ImageShape&) const = default;
};

/// One rank's share of a global batch, in a slot of the loader's ring. Pixels are uint8, NHWC. A
/// sample has two labels and the first one's weight, so that mixup fits; without it both are equal
/// and the weight is 1.
struct Batch {
  ImageShape shape;
  std::int64_t index = 0;         ///< which batch of the plan this is
  std::int64_t count = 0;         ///< samples in it
  std::vector<std::byte> pixels;  ///< count * shape.size_bytes() are valid
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> other_labels;
  std::vector<float> weights;
};

}  // namespace lockstep::data
