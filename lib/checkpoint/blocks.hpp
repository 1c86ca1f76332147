#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lockstep::checkpoint {

/// A CRC32C is kept for each block of this size, so that any part of a file is checked when it is
/// read.
inline constexpr std::uint64_t kBlockBytes = std::uint64_t{4} << 20U;

[[nodiscard]] constexpr std::size_t block_count(std::uint64_t file_bytes) noexcept {
  return static_cast<std::size_t>((file_bytes + kBlockBytes - 1) / kBlockBytes);
}

/// The last block of a file may be shorter.
[[nodiscard]] constexpr std::size_t block_size(std::uint64_t file_bytes,
                                               std::size_t block) noexcept {
  return static_cast<std::size_t>(std::min(kBlockBytes, file_bytes - block * kBlockBytes));
}

}  // namespace lockstep::checkpoint
