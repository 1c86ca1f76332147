#include "os/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "core/log.hpp"

namespace lockstep::os {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view call, int code) {
  throw Error(ErrorKind::io,
              fmt::format("{}: {} failed: {}", path.string(), call, std::strerror(code)));
}

void check(int result, const std::filesystem::path& path, std::string_view call) {
  if (result != 0) fail(path, call, errno);
}

int open_flags(OpenMode mode) {
  switch (mode) {
    case OpenMode::read:
      return O_RDONLY;
    case OpenMode::create:
      return O_RDWR | O_CREAT | O_EXCL;
    case OpenMode::overwrite:
      return O_RDWR | O_CREAT | O_TRUNC;
    case OpenMode::append:
      return O_RDWR | O_CREAT | O_APPEND;
  }
  return O_RDONLY;
}

std::filesystem::path parent_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// Two threads or processes that publish the same file must not share a temporary name.
std::filesystem::path temporary_for(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter = 0;
  return fmt::format("{}.tmp-{}-{}", path.string(), ::getpid(), counter++);
}

void write_temporary(const std::filesystem::path& path, std::string_view content) {
  File file = File::open(path, OpenMode::create);
  file.write_at(0, std::as_bytes(std::span(content)));
  file.sync();
  file.close();
}

}  // namespace

void FileDescriptorTraits::close(int descriptor) noexcept {
  if (::close(descriptor) != 0)
    log::error("close of descriptor {} failed: {}", descriptor, std::strerror(errno));
}

File File::open(const std::filesystem::path& path, OpenMode mode) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), open_flags(mode) | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) fail(path, "open", errno);
  return {FileDescriptor(descriptor), path};
}

std::uint64_t File::size() const {
  struct stat status {};
  check(::fstat(descriptor_.get(), &status), path_, "fstat");
  return static_cast<std::uint64_t>(status.st_size);
}

void File::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  const std::uint64_t begin = offset;
  const std::size_t wanted = bytes.size();
  while (!bytes.empty()) {
    const ssize_t got =
        ::pread(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "read", errno);
    if (got == 0) {
      throw Error(ErrorKind::io,
                  fmt::format("{}: ends at byte {}, but {} bytes at {} were expected",
                              path_.string(), offset, wanted, begin));
    }
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void File::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put =
        ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path_, "write", errno);
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void File::append(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor_.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path_, "write", errno);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

void File::allocate(std::uint64_t size_bytes) const {
  if (size_bytes == 0) return;
  int result = -1;
  do {
    result = ::fallocate(descriptor_.get(), 0, 0, static_cast<off_t>(size_bytes));
  } while (result != 0 && errno == EINTR);
  if (result == 0) return;
  // glibc's posix_fallocate would write a byte a block here; the plain call says that it cannot.
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL) fail(path_, "fallocate", errno);
  truncate(size_bytes);
}

void File::truncate(std::uint64_t size_bytes) const {
  check(::ftruncate(descriptor_.get(), static_cast<off_t>(size_bytes)), path_, "ftruncate");
}

void File::sync() const { check(::fsync(descriptor_.get()), path_, "fsync"); }

void File::close() {
  if (descriptor_) check(::close(descriptor_.release()), path_, "close");
}

std::string read_text(const std::filesystem::path& path) {
  const File file = File::open(path, OpenMode::read);
  std::string text;
  std::array<char, 65536> block{};
  // Not by size(): files in /proc and /sys have none.
  for (;;) {
    const ssize_t got = ::read(file.descriptor(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "read", errno);
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

void publish(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = temporary_for(path);
  write_temporary(temporary, content);
  rename_durably(temporary, path);
}

bool publish_if_absent(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = temporary_for(path);
  write_temporary(temporary, content);
  const int result = ::link(temporary.c_str(), path.c_str());  // unlike rename, link never replaces
  const int code = errno;
  check(::unlink(temporary.c_str()), temporary, "unlink");
  if (result != 0 && code != EEXIST) fail(path, "link", code);
  sync_folder(parent_of(path));
  return result == 0;
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  check(::rename(from.c_str(), to.c_str()), from, fmt::format("rename to {}", to.string()));
  sync_folder(parent_of(to));
  if (parent_of(from) != parent_of(to)) sync_folder(parent_of(from));
}

void sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor) fail(folder, "open", errno);
  // Some file systems cannot sync a folder (EINVAL) and keep names in order by themselves.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) fail(folder, "fsync", errno);
}

void make_folders(const std::filesystem::path& folder) {
  if (std::filesystem::is_directory(folder)) return;
  const std::filesystem::path parent = parent_of(folder);
  if (parent != folder) make_folders(parent);
  if (::mkdir(folder.c_str(), 0777) != 0) {
    const int code = errno;
    // Another process may have been faster; a file of that name is another matter.
    if (code != EEXIST || !std::filesystem::is_directory(folder)) fail(folder, "mkdir", code);
  }
  sync_folder(parent);
}

std::vector<std::string> list_folder(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t free_bytes(const std::filesystem::path& folder) {
  struct statvfs status {};
  check(::statvfs(folder.c_str(), &status), folder, "statvfs");
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

}  // namespace lockstep::os
