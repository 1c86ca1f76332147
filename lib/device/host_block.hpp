#pragma once

#include <cstddef>
#include <cstdint>

#include "core/unique_handle.hpp"

namespace lockstep::device {

enum class HostSource : std::uint8_t { heap, mapping };

/// A piece of host memory and how it was got.
struct HostRange {
  std::byte* data = nullptr;
  std::size_t size_bytes = 0;  ///< as asked for
  HostSource source = HostSource::heap;

  bool operator==(const HostRange&) const = default;
};

struct HostBlockTraits {
  using value_type = HostRange;
  static HostRange null() noexcept { return {}; }
  static void close(HostRange range) noexcept;
};

/// Zero-filled host memory. From 2 MiB on it is 2 MiB aligned and huge pages are asked for: that
/// alone is worth about 5 % of a training step on the CPU.
using HostBlock = UniqueHandle<HostBlockTraits>;

[[nodiscard]] HostBlock allocate_host(std::size_t size_bytes);

}  // namespace lockstep::device
