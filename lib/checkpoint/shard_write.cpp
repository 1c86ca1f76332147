#include <fmt/format.h>

#include <algorithm>

#include "checkpoint/blocks.hpp"
#include "checkpoint/shard.hpp"
#include "checkpoint/strided.hpp"
#include "core/crc32c.hpp"
#include "core/error.hpp"
#include "os/file.hpp"

namespace lockstep::checkpoint {
namespace {

constexpr std::size_t kTextLimit = 60 << 10U;

void fill_text(std::span<std::byte> room, const Saveable& part) {
  const std::string text = part.text();
  expect(
      text.size() <= kTextLimit && text.find('\0') == std::string::npos,
      fmt::format(
          "the text of '{}' has {} bytes: it must be JSON of at most {} bytes; put what is large "
          "into a tensor",
          part.name(), text.size(), kTextLimit));
  const auto bytes = std::as_bytes(std::span(text));
  std::copy(bytes.begin(), bytes.end(), room.begin());
  std::fill(room.begin() + static_cast<std::ptrdiff_t>(bytes.size()), room.end(), std::byte{0});
}

}  // namespace

void fill(std::vector<std::byte>& staging, const ShardLayout& layout, const Contents& contents) {
  // Gaps between datasets stay zero: the layout of a given state never changes, nor do they.
  if (staging.size() != layout.image.file_bytes)
    staging.assign(layout.image.file_bytes, std::byte{0});
  std::copy(layout.image.header.begin(), layout.image.header.end(), staging.begin());
  const std::span<std::byte> file(staging);
  for (std::size_t i = 0; i < layout.text_offsets.size(); ++i) {
    fill_text(file.subspan(layout.text_offsets[i], kTextCapacity), *contents.parts[i]);
  }
  for (std::size_t i = 0; i < layout.pieces.size(); ++i) {
    const Piece& piece = layout.pieces[i];
    const std::uint64_t row_bytes = contents.entries[piece.entry].row_bytes();
    pack(contents.tensors[piece.entry], static_cast<std::uint64_t>(piece.start) * row_bytes,
         file.subspan(layout.offsets[i], static_cast<std::uint64_t>(piece.rows) * row_bytes));
  }
}

std::vector<std::uint32_t> write_shard(const std::filesystem::path& path,
                                       std::span<const std::byte> file) {
  os::File target = os::File::open(path, os::OpenMode::create);
  target.allocate(file.size());
  std::vector<std::uint32_t> crcs;
  for (std::size_t block = 0; block < block_count(file.size()); ++block) {
    const std::uint64_t offset = block * kBlockBytes;
    const std::span<const std::byte> bytes = file.subspan(offset, block_size(file.size(), block));
    crcs.push_back(crc32c(bytes));
    target.write_at(offset, bytes);
  }
  target.sync();
  target.close();
  return crcs;
}

}  // namespace lockstep::checkpoint
