#include "device/host_block.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/error.hpp"
#include "core/units.hpp"

namespace lockstep::device {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;
// Enough for the widest vector loads, and no two blocks share a cache line.
constexpr std::size_t kSmallAlignment = 64;

std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

[[noreturn]] void out_of_memory(std::size_t size_bytes, int code) {
  throw Error(ErrorKind::environment,
              fmt::format("the host has no {} of memory to give ({}); use fewer ranks a node, or a "
                          "smaller train.micro_batch",
                          units::bytes(size_bytes), std::strerror(code)));
}

std::byte* from_heap(std::size_t size_bytes) {
  const std::size_t rounded = round_up(size_bytes == 0 ? 1 : size_bytes, kSmallAlignment);
  void* data = std::aligned_alloc(kSmallAlignment, rounded);
  if (data == nullptr) out_of_memory(size_bytes, ENOMEM);
  std::memset(data, 0, rounded);
  return static_cast<std::byte*>(data);
}

// mmap aligns to 4 KiB only: a huge page more is mapped, and what sticks out on both sides is given
// back.
std::byte* from_mapping(std::size_t size_bytes) {
  const std::size_t wanted = round_up(size_bytes, kHugePage);
  void* mapped = ::mmap(nullptr, wanted + kHugePage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) out_of_memory(size_bytes, errno);
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before = round_up(reinterpret_cast<std::uintptr_t>(begin), kHugePage) -
                             reinterpret_cast<std::uintptr_t>(begin);
  if (before > 0) ::munmap(begin, before);
  if (kHugePage > before) ::munmap(begin + before + wanted, kHugePage - before);
  // Only advice: a kernel without transparent huge pages refuses, and nothing is lost but speed.
  ::madvise(begin + before, wanted, MADV_HUGEPAGE);
  return begin + before;
}

}  // namespace

void HostBlockTraits::close(HostRange range) noexcept {
  if (range.source == HostSource::heap) {
    std::free(range.data);
  } else {
    ::munmap(range.data, round_up(range.size_bytes, kHugePage));
  }
}

HostBlock allocate_host(std::size_t size_bytes) {
  if (size_bytes < kHugePage)
    return HostBlock({from_heap(size_bytes), size_bytes, HostSource::heap});
  return HostBlock({from_mapping(size_bytes), size_bytes, HostSource::mapping});
}

}  // namespace lockstep::device
