#pragma once

#include <span>
#include <vector>

#include "core/buffer_view.hpp"
#include "device/device.hpp"

namespace lockstep::tests {

/// Elements where a communicator wants them: on the host (-1) or on a device.
template <typename T>
class DeviceArray {
 public:
  DeviceArray(int device, const std::vector<T>& values)
      : memory_(device, values.size() * sizeof(T)), count_(values.size()) {
    device::copy_to_device(memory_.data(), std::as_bytes(std::span(values)));
  }

  [[nodiscard]] BufferView view() const { return {memory_.data(), count_, kDTypeOf<T>}; }

  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> values(count_);
    device::copy_to_host(std::as_writable_bytes(std::span(values)), memory_.data());
    return values;
  }

 private:
  device::Memory memory_;
  std::size_t count_;
};

}  // namespace lockstep::tests
