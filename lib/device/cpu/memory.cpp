#include "device/device.hpp"
#include "device/host_block.hpp"

namespace lockstep::device {

struct Memory::Block {
  HostBlock host;
};

Memory::Memory(int index, std::size_t size_bytes) {
  select(index);  // refuses what is not there
  block_ = std::make_unique<Block>(Block{allocate_host(size_bytes)});
}
Memory::~Memory() = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

std::byte* Memory::data() const noexcept { return block_ ? block_->host.get().data : nullptr; }
std::size_t Memory::size_bytes() const noexcept {
  return block_ ? block_->host.get().size_bytes : 0;
}

struct HostMemory::Block {
  HostBlock host;
};

HostMemory::HostMemory(std::size_t size_bytes)
    : block_(std::make_unique<Block>(Block{allocate_host(size_bytes)})) {}
HostMemory::~HostMemory() = default;
HostMemory::HostMemory(HostMemory&&) noexcept = default;
HostMemory& HostMemory::operator=(HostMemory&&) noexcept = default;

std::span<std::byte> HostMemory::bytes() const noexcept {
  if (!block_) return {};
  return {block_->host.get().data, block_->host.get().size_bytes};
}

}  // namespace lockstep::device
