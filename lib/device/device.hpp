#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

/// The accelerator of this rank, or the host where there is none. device/cpu and device/cuda
/// implement the same functions; CMake builds one of the two.
namespace lockstep::device {

/// "cpu" or "cuda": what this build is for.
[[nodiscard]] std::string_view backend() noexcept;

/// Accelerators that this process can see; 0 in a CPU build, or without a driver.
[[nodiscard]] int visible_count() noexcept;

struct Identity {
  std::string name;  ///< "NVIDIA H200", or the host's processor
  std::string uuid;  ///< "GPU-...", or "cpu"
};
/// `index` -1 is the host.
[[nodiscard]] Identity identity(int index);

/// Makes `index` the device of the calling thread; -1 does nothing.
void select(int index);
/// Waits for all work on it.
void synchronize(int index);

/// Zero-filled memory on a device (or, with index -1, on the host: 2 MiB aligned, huge pages asked
/// for).
class Memory {
 public:
  Memory(int index, std::size_t size_bytes);
  ~Memory();
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;

  [[nodiscard]] std::byte* data() const noexcept;
  [[nodiscard]] std::size_t size_bytes() const noexcept;

 private:
  struct Block;
  std::unique_ptr<Block> block_;
};

/// Host memory that copies fast to and from the device (pinned on CUDA).
class HostMemory {
 public:
  explicit HostMemory(std::size_t size_bytes);
  ~HostMemory();
  HostMemory(HostMemory&&) noexcept;
  HostMemory& operator=(HostMemory&&) noexcept;

  [[nodiscard]] std::span<std::byte> bytes() const noexcept;

 private:
  struct Block;
  std::unique_ptr<Block> block_;
};

/// Between host and device of this rank, complete on return.
void copy_to_host(std::span<std::byte> to, const std::byte* from);
void copy_to_device(std::byte* to, std::span<const std::byte> from);

}  // namespace lockstep::device
