#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.hpp"

namespace lockstep::checkpoint {

enum class Spread {
  replicated,  ///< the same on every rank: written once, split by rows over the ranks
  per_rank,    ///< each rank's own; read back only by the same rank of the same number of ranks
};

/// A tensor in live host memory: read when saving, written when loading. In the file it is
/// row-major in the logical `shape`, whatever `strides` (in elements) say of memory.
struct TensorView {
  std::string name;  ///< inside its Saveable: "layer1.0.conv1.weight"
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  void* data = nullptr;
  Spread spread = Spread::replicated;

  [[nodiscard]] std::int64_t count() const;
};

/// Whether a resume repeats the uninterrupted run bit for bit, or only its order of samples.
enum class Restored { exact, elastic };

/// A part of the state that must survive. The list of Saveables is complete: a run resumes from
/// them and nothing else.
class Saveable {
 public:
  virtual ~Saveable() = default;

  /// Top-level group in the file: "model", "optimizer", "cursor", "random", ...
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Called first when saving: brings what tensors() shows up to date (device to host, generator to
  /// bytes).
  virtual void before_save() {}
  [[nodiscard]] virtual std::vector<TensorView> tensors() { return {}; }
  /// Small state as one JSON object (at most 60 KiB); equal states give equal texts.
  [[nodiscard]] virtual std::string text() const { return "{}"; }
  /// Called last when loading, after the tensors have been filled: takes the text back, host to
  /// device, bytes to generator. After an elastic resume per-rank tensors were left alone.
  virtual void after_load(std::string_view text, Restored how) = 0;
};

}  // namespace lockstep::checkpoint
