#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/unique_handle.hpp"

namespace lockstep::os {

struct FileDescriptorTraits {
  using value_type = int;
  static int null() noexcept { return -1; }
  static void close(int descriptor) noexcept;
};
using FileDescriptor = UniqueHandle<FileDescriptorTraits>;

enum class OpenMode {
  read,       ///< O_RDONLY
  create,     ///< O_CREAT | O_EXCL: the file must be new
  overwrite,  ///< O_CREAT | O_TRUNC
  append,     ///< O_CREAT | O_APPEND
};

/// An open file. Every call is checked, and an error names the path, the call and errno's text
/// (Error{io}); interrupted calls are repeated, short ones continued.
class File {
 public:
  static File open(const std::filesystem::path& path, OpenMode mode);

  [[nodiscard]] std::uint64_t size() const;
  /// Reads exactly bytes.size() bytes at `offset`; a shorter file is an error that says so.
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  void append(std::string_view text) const;
  /// fallocate(2); where the file system cannot, ftruncate(2). A full disk is reported here, before
  /// any byte.
  void allocate(std::uint64_t size_bytes) const;
  void truncate(std::uint64_t size_bytes) const;
  void sync() const;
  /// Network file systems and quotas report late: the owner of written data calls this and looks.
  void close();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_.get(); }

 private:
  File(FileDescriptor descriptor, std::filesystem::path path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  FileDescriptor descriptor_;
  std::filesystem::path path_;
};

/// Whole small files.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);
/// Readers see the old content or the new, never a part: temporary file, fsync, rename, fsync of
/// the folder.
void publish(const std::filesystem::path& path, std::string_view content);
/// The same, but whoever is first wins; false if `path` was there already.
bool publish_if_absent(const std::filesystem::path& path, std::string_view content);

/// rename(2) and fsync(2) of both folders: after it the new name survives a power cut.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);
void sync_folder(const std::filesystem::path& folder);
/// Makes `folder` and its parents, durably.
void make_folders(const std::filesystem::path& folder);
/// Names in a folder, sorted; empty if there is no such folder.
[[nodiscard]] std::vector<std::string> list_folder(const std::filesystem::path& folder);
/// Bytes free for an ordinary user in the file system that holds `folder`.
[[nodiscard]] std::uint64_t free_bytes(const std::filesystem::path& folder);

}  // namespace lockstep::os
