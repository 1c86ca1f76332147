#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4), with the processor's instruction where it has one.
/// `seed` is the CRC of what came before, so crc32c(b, crc32c(a)) is the CRC of a followed by b.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes,
                                   std::uint32_t seed = 0) noexcept;

/// The portable way, for machines without the instruction and as the tests' reference.
[[nodiscard]] std::uint32_t crc32c_portable(std::span<const std::byte> bytes,
                                            std::uint32_t seed = 0) noexcept;

}  // namespace lockstep
