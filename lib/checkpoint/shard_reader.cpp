#include "checkpoint/shard_reader.hpp"

#include <fmt/format.h>

#include "checkpoint/blocks.hpp"
#include "core/crc32c.hpp"
#include "core/error.hpp"

namespace lockstep::checkpoint {

ShardReader::ShardReader(const std::filesystem::path& step, const Manifest& manifest,
                         std::size_t file)
    : manifest_(manifest),
      index_(file),
      file_(os::File::open(step / manifest.files.at(file).name, os::OpenMode::read)) {}

void ShardReader::read_block(std::size_t block, std::span<std::byte> buffer) const {
  const Manifest::File& file = manifest_.files[index_];
  const std::span<std::byte> bytes = buffer.first(block_size(file.bytes, block));
  file_.read_at(block * kBlockBytes, bytes);
  const std::uint32_t found = crc32c(bytes);
  if (found == file.block_crcs[block]) return;
  throw Error(
      ErrorKind::io,
      fmt::format(
          "{}: block {} (bytes {} to {}: {}) has CRC32C {:08x}, but {} says {:08x}: the bytes "
          "are not those that were written",
          file.name, block, block * kBlockBytes, block * kBlockBytes + bytes.size() - 1,
          tensors_in(block), found, kManifestName, file.block_crcs[block]));
}

std::string ShardReader::tensors_in(std::size_t block) const {
  constexpr int kNamed = 3;
  const std::uint64_t begin = block * kBlockBytes;
  std::string names;
  int count = 0;
  const auto add = [&](const std::string& path, std::uint64_t offset, std::uint64_t bytes) {
    if (offset >= begin + kBlockBytes || offset + bytes <= begin) return;
    if (count < kNamed) names += (count == 0 ? "" : ", ") + path;
    ++count;
  };
  for (const Manifest::Text& text : manifest_.texts) {
    if (index_ == 0) add(text.path, text.offset, text.capacity);
  }
  for (const Manifest::Tensor& tensor : manifest_.tensors) {
    for (const Manifest::Piece& piece : tensor.pieces) {
      if (static_cast<std::size_t>(piece.file) != index_) continue;
      add(tensor.entry.path, piece.offset,
          static_cast<std::uint64_t>(piece.rows) * tensor.entry.row_bytes());
    }
  }
  if (count == 0) return "no tensor";
  return count > kNamed ? fmt::format("{} and {} more", names, count - kNamed) : names;
}

void verify_blocks(const std::filesystem::path& step, const Manifest& manifest) {
  std::vector<std::byte> buffer(kBlockBytes);
  for (std::size_t file = 0; file < manifest.files.size(); ++file) {
    const ShardReader reader(step, manifest, file);
    for (std::size_t block = 0; block < block_count(manifest.files[file].bytes); ++block) {
      reader.read_block(block, buffer);
    }
  }
}

}  // namespace lockstep::checkpoint
