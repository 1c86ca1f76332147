#include "data/idx_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>

#include "core/error.hpp"
#include "data/gzip_reader.hpp"

namespace lockstep::data {
namespace {

constexpr unsigned kUint8 = 8;
constexpr std::size_t kFirstPiece = std::size_t{16} << 20U;

[[noreturn]] void fail(const GzipReader& file, std::uint64_t offset, const std::string& expected,
                       const std::string& found) {
  throw Error(ErrorKind::data, fmt::format("{}: at byte {}: expected {}, found {}",
                                           file.path().string(), offset, expected, found));
}

std::uint32_t read_word(GzipReader& file, const std::string& meaning) {
  std::array<std::byte, 4> bytes{};
  const std::uint64_t offset = file.offset();
  const std::size_t got = file.read(bytes);
  if (got != bytes.size())
    fail(file, offset, meaning, fmt::format("the end of the file after {} bytes", got));
  std::uint32_t word = 0;
  for (const std::byte byte : bytes) word = (word << 8U) | std::to_integer<std::uint32_t>(byte);
  return word;
}

std::vector<std::int64_t> read_extents(GzipReader& file, std::size_t fewest, std::size_t most) {
  const std::string meaning =
      fewest == most ? fmt::format("the IDX magic {:#010x} (uint8, {} dimensions)",
                                   (kUint8 << 8U) | fewest, fewest)
                     : fmt::format("an IDX magic {:#010x} to {:#010x} (uint8, {} to {} dimensions)",
                                   (kUint8 << 8U) | fewest, (kUint8 << 8U) | most, fewest, most);
  const std::uint32_t magic = read_word(file, meaning);
  const std::size_t dimensions = magic & 0xFFU;
  if (magic >> 8U != kUint8 || dimensions < fewest || dimensions > most) {
    fail(file, 0, meaning, fmt::format("{:#010x}", magic));
  }
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::string extent = fmt::format("extent {} of {}, at least 1", i + 1, dimensions);
    extents.push_back(read_word(file, extent));
    if (extents.back() == 0) fail(file, file.offset() - 4, extent, "0");
  }
  return extents;
}

std::size_t count_of(const GzipReader& file, const std::vector<std::int64_t>& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) {
    if (__builtin_mul_overflow(count, extent, &count)) {
      fail(file, 4, "extents that a machine can hold",
           fmt::format("{}", fmt::join(extents, " x ")));
    }
  }
  return static_cast<std::size_t>(count);
}

// In pieces that double, so that a header that claims too much costs at most twice what the file
// holds.
std::vector<std::byte> read_elements(GzipReader& file, std::size_t count) {
  const std::uint64_t begin = file.offset();
  std::vector<std::byte> bytes;
  while (bytes.size() < count) {
    const std::size_t old = bytes.size();
    const std::size_t larger = std::min(count, std::max(kFirstPiece, 2 * old));
    bytes.reserve(larger);
    bytes.resize(larger);
    const std::size_t got = file.read(std::span(bytes).subspan(old));
    if (got < larger - old) {
      fail(file, begin + old + got, fmt::format("{} bytes of elements, as the header says", count),
           fmt::format("the end of the file after {} of them", old + got));
    }
  }
  std::array<std::byte, 1> behind{};
  if (file.read(behind) != 0)
    fail(file, begin + count, "the end of the file, as the header says", "more bytes");
  return bytes;
}

}  // namespace

IdxArray read_idx(const std::filesystem::path& path, std::size_t fewest, std::size_t most) {
  GzipReader file(path);
  IdxArray array;
  array.extents = read_extents(file, fewest, most);
  array.bytes = read_elements(file, count_of(file, array.extents));
  return array;
}

}  // namespace lockstep::data
