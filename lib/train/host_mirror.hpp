#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/saveable.hpp"
#include "device/device.hpp"
#include "model/parameter_store.hpp"

namespace lockstep::train {

/// A flat float array of the store's layout as the host sees it: the memory itself on the CPU, a
/// pinned copy of device memory on an accelerator.
class HostMirror {
 public:
  HostMirror(const model::ParameterStore& store, std::span<float> live);

  void pull();  ///< device to host; nothing on the CPU
  void push();  ///< host to device
  [[nodiscard]] std::span<float> host() const noexcept { return host_; }

 private:
  const model::ParameterStore& store_;
  std::span<float> live_;
  std::unique_ptr<device::HostMemory> copy_;
  std::span<float> host_;
};

/// Views of the entries of one role inside `flat`, named `prefix` + the entry's name.
void append_views(std::vector<checkpoint::TensorView>& views, const model::ParameterStore& store,
                  model::Role role, std::span<float> flat, const std::string& prefix);

}  // namespace lockstep::train
