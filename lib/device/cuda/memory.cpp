#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstring>

#include "core/units.hpp"
#include "device/cuda/check.hpp"
#include "device/device.hpp"
#include "device/host_block.hpp"

namespace lockstep::device {
namespace {

struct CudaMemoryTraits {
  using value_type = void*;
  static void* null() noexcept { return nullptr; }
  // At the end of the program the context may be gone already, and its memory with it.
  static void close(void* data) noexcept { static_cast<void>(cudaFree(data)); }
};
using CudaMemory = UniqueHandle<CudaMemoryTraits>;

struct PinnedMemoryTraits {
  using value_type = void*;
  static void* null() noexcept { return nullptr; }
  static void close(void* data) noexcept { static_cast<void>(cudaFreeHost(data)); }
};
using PinnedMemory = UniqueHandle<PinnedMemoryTraits>;

CudaMemory allocate_device(int index, std::size_t size_bytes) {
  select(index);
  void* data = nullptr;
  check(cudaMalloc(&data, size_bytes == 0 ? 1 : size_bytes),
        fmt::format("cudaMalloc of {} on device {}", units::bytes(size_bytes), index));
  CudaMemory memory(data);
  check(cudaMemset(data, 0, size_bytes), "cudaMemset");
  // cudaMemset may return early, and streams that do not wait for the default one would overtake
  // it.
  check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  return memory;
}

PinnedMemory allocate_pinned(std::size_t size_bytes) {
  void* data = nullptr;
  check(cudaHostAlloc(&data, size_bytes == 0 ? 1 : size_bytes, cudaHostAllocPortable),
        fmt::format("cudaHostAlloc of {}", units::bytes(size_bytes)));
  std::memset(data, 0, size_bytes);
  return PinnedMemory(data);
}

}  // namespace

struct Memory::Block {
  HostBlock host;
  CudaMemory device;
  std::size_t size_bytes;
};

Memory::Memory(int index, std::size_t size_bytes)
    : block_(index == -1 ? std::make_unique<Block>(
                               Block{allocate_host(size_bytes), CudaMemory(), size_bytes})
                         : std::make_unique<Block>(Block{
                               HostBlock(), allocate_device(index, size_bytes), size_bytes})) {}
Memory::~Memory() = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

std::byte* Memory::data() const noexcept {
  if (!block_) return nullptr;
  return block_->host ? block_->host.get().data : static_cast<std::byte*>(block_->device.get());
}
std::size_t Memory::size_bytes() const noexcept { return block_ ? block_->size_bytes : 0; }

struct HostMemory::Block {
  PinnedMemory pinned;  // empty where there is no driver: then plain memory does
  HostBlock host;
  std::size_t size_bytes;
};

HostMemory::HostMemory(std::size_t size_bytes)
    : block_(visible_count() > 0 ? std::make_unique<Block>(
                                       Block{allocate_pinned(size_bytes), HostBlock(), size_bytes})
                                 : std::make_unique<Block>(Block{
                                       PinnedMemory(), allocate_host(size_bytes), size_bytes})) {}
HostMemory::~HostMemory() = default;
HostMemory::HostMemory(HostMemory&&) noexcept = default;
HostMemory& HostMemory::operator=(HostMemory&&) noexcept = default;

std::span<std::byte> HostMemory::bytes() const noexcept {
  if (!block_) return {};
  std::byte* const data =
      block_->pinned ? static_cast<std::byte*>(block_->pinned.get()) : block_->host.get().data;
  return {data, block_->size_bytes};
}

}  // namespace lockstep::device
