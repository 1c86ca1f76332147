#include "checkpoint/contents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <string_view>
#include <unordered_set>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace lockstep::checkpoint {
namespace {

// HDF5 takes '/' as a separator and "." as the group itself; a NUL would end the name.
bool is_path(std::string_view name) {
  if (name.find('\0') != std::string_view::npos) return false;
  while (!name.empty()) {
    const std::size_t end = name.find('/');
    const std::string_view part = name.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == std::string_view::npos) return true;
    name.remove_prefix(end + 1);
  }
  return false;
}

bool fits(const TensorView& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.shape) {
    if (extent < 0) return false;
    if (extent != 0 && count > std::numeric_limits<std::int64_t>::max() / 8 / extent) return false;
    count *= extent;
  }
  return tensor.strides.size() == tensor.shape.size() && (tensor.data != nullptr || count == 0);
}

}  // namespace

std::int64_t TensorView::count() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::uint64_t Entry::row_bytes() const {
  std::uint64_t bytes = size_of(dtype);
  for (std::size_t d = 1; d < shape.size(); ++d) bytes *= static_cast<std::uint64_t>(shape[d]);
  return bytes;
}

std::string text_path(const Saveable& part) { return fmt::format("/{}/state", part.name()); }

std::uint64_t Contents::fingerprint() const {
  std::uint64_t hash = fnv1a("");
  for (const Saveable* part : parts) hash = fnv1a(text_path(*part) + "\n", hash);
  for (const Entry& entry : entries) {
    hash = fnv1a(fmt::format("{} {} {} {}\n", entry.path, name(entry.dtype), entry.shape,
                             static_cast<int>(entry.spread)),
                 hash);
  }
  return hash;
}

Contents contents_of(std::span<Saveable* const> state) {
  Contents contents;
  std::unordered_set<std::string> paths;
  const auto take = [&paths](const std::string& path) {
    expect(is_path(std::string_view(path).substr(1)),
           fmt::format("'{}' cannot be a dataset's path", path));
    expect(
        paths.insert(path).second,
        fmt::format("{} names two things in the state: a tensor or a text ('state' is taken by it)",
                    path));
  };
  for (Saveable* part : state) {
    take(text_path(*part));
    contents.parts.push_back(part);
    for (TensorView& tensor : part->tensors()) {
      const std::string path = fmt::format("/{}/{}", part->name(), tensor.name);
      take(path);
      expect(fits(tensor),
             fmt::format("{}: shape [{}], strides [{}] and memory do not fit together", path,
                         fmt::join(tensor.shape, ", "), fmt::join(tensor.strides, ", ")));
      contents.entries.push_back({path, tensor.dtype, tensor.shape, tensor.spread});
      contents.tensors.push_back(std::move(tensor));
    }
  }
  return contents;
}

}  // namespace lockstep::checkpoint
