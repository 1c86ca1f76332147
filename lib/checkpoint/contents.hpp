#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/saveable.hpp"

namespace lockstep::checkpoint {

/// Room for one Saveable's text. It never changes, so a text that grows by a digit moves nothing in
/// the file.
inline constexpr std::size_t kTextCapacity = 65536;

/// A tensor without its bytes: what a plan and a MANIFEST need to know.
struct Entry {
  std::string path;  ///< of the dataset: "/model/layer1.0.conv1.weight"
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  Spread spread = Spread::replicated;

  /// Extent of the first dimension, along which tensors are split; a scalar has one row.
  [[nodiscard]] std::int64_t rows() const { return shape.empty() ? 1 : shape.front(); }
  [[nodiscard]] std::uint64_t row_bytes() const;
  [[nodiscard]] std::uint64_t bytes() const {
    return row_bytes() * static_cast<std::uint64_t>(rows());
  }
};

/// Dataset of a Saveable's text: "/model/state".
[[nodiscard]] std::string text_path(const Saveable& part);

/// Everything that the Saveables show, as one list. `entries[i]` describes `tensors[i]`.
struct Contents {
  std::vector<TensorView> tensors;
  std::vector<Entry> entries;
  std::vector<Saveable*> parts;  ///< a text each

  [[nodiscard]] std::uint64_t text_bytes() const { return parts.size() * kTextCapacity; }
  /// Equal on two ranks iff paths, types, shapes and spreads are, in this order.
  [[nodiscard]] std::uint64_t fingerprint() const;
};

/// Throws Error{internal} for what no file could hold: names used twice or that are no path, shapes
/// and strides that do not fit, memory that is not there.
[[nodiscard]] Contents contents_of(std::span<Saveable* const> state);

}  // namespace lockstep::checkpoint
