#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "core/unique_handle.hpp"

struct gzFile_s;  // zlib.h

namespace lockstep::data {

struct GzipFileTraits {
  using value_type = gzFile_s*;
  static value_type null() noexcept { return nullptr; }
  static void close(value_type file) noexcept;
};

/// A file from front to back, inflated if it is gzip (also several members one after the other) and
/// as it is otherwise; the content decides, not the name. A damaged or cut gzip stream throws
/// Error{data}.
class GzipReader {
 public:
  explicit GzipReader(std::filesystem::path path);

  /// Fills `bytes` as far as the file goes and says how far that was.
  [[nodiscard]] std::size_t read(std::span<std::byte> bytes);
  /// Bytes given out so far.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  UniqueHandle<GzipFileTraits> file_;
  std::uint64_t offset_ = 0;
};

}  // namespace lockstep::data
