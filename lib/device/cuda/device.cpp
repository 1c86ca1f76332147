#include "device/device.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstring>

#include "device/cuda/check.hpp"
#include "device/host_identity.hpp"

namespace lockstep::device {
namespace {

// As nvidia-smi prints it: 8-4-4-4-12 hexadecimal digits.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

// Without a device all memory is the host's, and CUDA itself would refuse for lack of a driver.
void copy(std::byte* to, const std::byte* from, std::size_t size_bytes, std::string_view what) {
  static const bool has_device =
      visible_count() > 0;  // asking takes milliseconds, and the answer stays
  if (size_bytes == 0) return;
  if (has_device) {
    check(cudaMemcpy(to, from, size_bytes, cudaMemcpyDefault), what);
  } else {
    std::memcpy(to, from, size_bytes);
  }
}

}  // namespace

std::string_view backend() noexcept { return "cuda"; }

int visible_count() noexcept {
  int count = 0;
  // Without a driver or a device this is an error code, and the answer is none.
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

Identity identity(int index) {
  if (index == -1) return {processor_name(), "cpu"};
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index),
        fmt::format("cudaGetDeviceProperties(device {})", index));
  return {static_cast<const char*>(properties.name), uuid_text(properties.uuid)};
}

void select(int index) {
  if (index != -1) check(cudaSetDevice(index), fmt::format("cudaSetDevice({})", index));
}

void synchronize(int index) {
  if (index == -1) return;
  select(index);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void copy_to_host(std::span<std::byte> to, const std::byte* from) {
  copy(to.data(), from, to.size(), "cudaMemcpy to the host");
}

void copy_to_device(std::byte* to, std::span<const std::byte> from) {
  copy(to, from.data(), from.size(), "cudaMemcpy to the device");
}

}  // namespace lockstep::device
