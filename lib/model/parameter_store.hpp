#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace lockstep::model {

enum class Role {
  weight,     ///< trained; has a gradient
  statistic,  ///< a batch norm's running mean or variance: float, not trained
  counter,    ///< a batch norm's num_batches_tracked: int64, kept apart
};

/// Whether weight decay applies: not to norms and biases.
enum class Decay { no, yes };

/// How a weight begins (torchvision's laws).
struct Init {
  enum class Law { constant, normal, uniform };
  Law law = Law::constant;
  double value = 0;  ///< the constant, the standard deviation, or the bound of the uniform law
};

/// One named tensor, in torchvision's state_dict order. `offset` counts elements in the flat array
/// of its role.
struct Entry {
  std::string name;
  Role role = Role::weight;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  Init init;
  Decay decay = Decay::no;
  std::size_t offset = 0;
  std::size_t count = 0;
  at::Tensor tensor;
};

/// All named tensors of a network over flat memory. Weights lie in one array; gradients in the
/// *arena*, behind the step's report and the running statistics:
///
///     arena   [ report | statistics | gradient of entry 0, 1, 2, ... ]
///     weights                       [ entry 0, 1, 2, ... ]
///
/// so that buckets are slices of the arena, the last one to be ready (the first in memory) carries
/// statistics and report along, and the optimizer is one pass over long vectors. Slices begin at
/// multiples of 64 bytes; the padding stays zero.
class ParameterStore {
 public:
  struct Options {
    int device = -1;
    bool channels_last = true;
    std::size_t report_count = 0;  ///< floats at the arena's beginning that the trainer fills
    std::uint64_t seed = 0;
  };

  /// Declares a tensor; its index is the handle by which layers find it.
  std::size_t add(std::string name, Role role, std::vector<std::int64_t> shape, Init init,
                  Decay decay);

  /// Lays out, allocates and initialises. After this tensors exist; nothing can be added.
  void allocate(const Options& options);

  [[nodiscard]] const at::Tensor& operator[](std::size_t index) const {
    return entries_[index].tensor;
  }
  [[nodiscard]] std::span<Entry> entries() noexcept { return entries_; }
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }

  /// -1: the host.
  [[nodiscard]] int device() const noexcept { return device_; }
  /// Device memory where the device is an accelerator.
  [[nodiscard]] std::span<float> arena() const noexcept;
  [[nodiscard]] std::span<float> report() const noexcept;
  [[nodiscard]] std::span<float> statistics() const noexcept;
  [[nodiscard]] std::span<float> gradients() const noexcept;
  [[nodiscard]] std::span<float> weights() const noexcept;
  [[nodiscard]] std::span<std::int64_t> counters() noexcept { return counters_; }

  /// One more batch has been seen by every batch norm.
  void count_batch();

 private:
  void lay_out(bool channels_last);
  void make_tensors(const Options& options);
  void initialise(std::uint64_t seed);

  std::vector<Entry> entries_;
  int device_ = -1;
  std::size_t report_count_ = 0;
  std::size_t statistic_count_ = 0;
  std::size_t weight_count_ = 0;
  std::vector<std::int64_t> counters_;
  std::unique_ptr<device::Memory> arena_;
  std::unique_ptr<device::Memory> weights_;
};

}  // namespace lockstep::model
