#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace lockstep::data {

/// Content of an IDX file (http://yann.lecun.com/exdb/mnist, "the IDX file format"): a big-endian
/// header with magic 00 00 TYPE DIMENSIONS and the extents, then the elements, last index fastest.
/// Only TYPE 8, uint8.
struct IdxArray {
  std::vector<std::int64_t> extents;
  std::vector<std::byte> bytes;
};

/// Bytes in front of the elements.
[[nodiscard]] constexpr std::uint64_t idx_header_bytes(std::size_t dimensions) {
  return 4 + 4 * dimensions;
}

/// Reads a whole file, plain or gzip, with `fewest` to `most` dimensions. Error{data} names file,
/// offset, expected and found. Memory grows with what the file really holds, not with what its
/// header claims.
[[nodiscard]] IdxArray read_idx(const std::filesystem::path& path, std::size_t fewest,
                                std::size_t most);

}  // namespace lockstep::data
