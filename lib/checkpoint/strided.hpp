#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "checkpoint/saveable.hpp"

namespace lockstep::checkpoint {

/// Between a tensor in memory, with whatever strides, and its row-major image in the file.
/// `first_byte` counts in that image; a range may begin and end anywhere, even inside an element,
/// because a block of the file does.
void pack(const TensorView& tensor, std::uint64_t first_byte, std::span<std::byte> out);
void unpack(const TensorView& tensor, std::uint64_t first_byte, std::span<const std::byte> in);

}  // namespace lockstep::checkpoint
