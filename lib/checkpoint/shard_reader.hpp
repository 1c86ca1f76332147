#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/manifest.hpp"
#include "os/file.hpp"

namespace lockstep::checkpoint {

/// Reads one shard of a step in blocks, each compared with its CRC32C in the MANIFEST. Holds one
/// open file.
class ShardReader {
 public:
  /// `manifest` outlives the reader.
  ShardReader(const std::filesystem::path& step, const Manifest& manifest, std::size_t file);

  /// Block number `block` into the front of `buffer` (at least block_size() bytes). Throws
  /// Error{io} that names file, block and the tensors in it.
  void read_block(std::size_t block, std::span<std::byte> buffer) const;

 private:
  [[nodiscard]] std::string tensors_in(std::size_t block) const;

  const Manifest& manifest_;
  std::size_t index_;
  os::File file_;
};

/// Reads every block of every shard. Throws Error{io} for the first that is not as it was written.
void verify_blocks(const std::filesystem::path& step, const Manifest& manifest);

}  // namespace lockstep::checkpoint
