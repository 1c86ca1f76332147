#include "data/gzip_reader.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"

namespace lockstep::data {
namespace {

constexpr unsigned kBufferBytes = 128 * 1024;
constexpr std::size_t kLargestRead = std::size_t{1} << 30U;  // gzread counts in int

}  // namespace

// Nothing is lost by a failing close: errors of reading were seen by read().
void GzipFileTraits::close(value_type file) noexcept { static_cast<void>(::gzclose_r(file)); }

GzipReader::GzipReader(std::filesystem::path path)
    : path_(std::move(path)), file_(::gzopen(path_.c_str(), "rbe")) {
  if (!file_) {
    throw Error(ErrorKind::data,
                fmt::format("{}: cannot be opened: {}", path_.string(), std::strerror(errno)));
  }
  ::gzbuffer(file_.get(), kBufferBytes);
}

std::size_t GzipReader::read(std::span<std::byte> bytes) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const auto wanted = static_cast<unsigned>(std::min(bytes.size() - filled, kLargestRead));
    const int got = ::gzread(file_.get(), bytes.data() + filled, wanted);
    const std::size_t count = got > 0 ? static_cast<std::size_t>(got) : 0;
    filled += count;
    offset_ += count;
    if (count == wanted) continue;
    int code = Z_OK;
    const char* reason =
        ::gzerror(file_.get(), &code);  // a cut stream is told here and nowhere else
    if (code == Z_ERRNO) reason = std::strerror(errno);
    if (code == Z_OK || code == Z_STREAM_END) return filled;
    throw Error(
        ErrorKind::data,
        fmt::format(
            "{}: cannot be read beyond byte {} of its (inflated) content: {}; copy the file again",
            path_.string(), offset_, reason));
  }
  return filled;
}

}  // namespace lockstep::data
