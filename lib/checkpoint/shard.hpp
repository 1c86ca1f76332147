#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/contents.hpp"
#include "checkpoint/plan.hpp"
#include "h5/image.hpp"

/// One rank's file on its way to the disk: plan -> layout (where everything goes) -> staging buffer
/// (which is the file) -> write. Only fill() reads live tensors; what follows could run while
/// training goes on.
namespace lockstep::checkpoint {

/// Where everything goes in one rank's shard.
struct ShardLayout {
  std::vector<Piece> pieces;
  std::vector<std::uint64_t> offsets;       ///< of the pieces' bytes in the file
  std::vector<std::uint64_t> text_offsets;  ///< rank 0 only
  h5::Image image;
};

/// "shard-00000-of-00002.h5"
[[nodiscard]] std::string shard_name(int rank, int world);

[[nodiscard]] ShardLayout layout_of(const Contents& contents, std::span<const Piece> plan,
                                    int rank);

/// Brings header, tensors and texts into `staging`, which becomes the whole file. A buffer that has
/// been used for the same layout is used again as it is: fresh memory costs far more than the copy.
void fill(std::vector<std::byte>& staging, const ShardLayout& layout, const Contents& contents);

/// Allocates, writes, fsyncs and closes a new file; the CRC32C of each block, taken from memory, so
/// that what goes wrong on the way to the disk is seen when it is read. Throws Error{io}.
[[nodiscard]] std::vector<std::uint32_t> write_shard(const std::filesystem::path& path,
                                                     std::span<const std::byte> file);

}  // namespace lockstep::checkpoint
