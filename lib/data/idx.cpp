#include "data/idx.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/crc32c.hpp"
#include "core/error.hpp"
#include "data/idx_array.hpp"

namespace lockstep::data {
namespace {

struct Split {
  std::filesystem::path images_path;
  std::filesystem::path labels_path;
  IdxArray images;
  IdxArray labels;
};

class IdxDataset final : public Dataset {
 public:
  IdxDataset(Split split, std::int64_t classes)
      : images_(std::move(split.images.bytes)), labels_(std::move(split.labels.bytes)) {
    const std::vector<std::int64_t>& extents = split.images.extents;
    shape_ = {extents[1], extents[2], extents.size() == 4 ? extents[3] : 1};
    for (std::int64_t i = 0; i < classes; ++i) classes_.push_back(fmt::format("{}", i));
  }

  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(labels_.size());
  }
  [[nodiscard]] ImageShape shape() const override { return shape_; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }

  [[nodiscard]] std::int64_t read(std::int64_t id, std::span<std::byte> pixels) const override {
    const std::size_t bytes = shape_.size_bytes();
    expect(id >= 0 && id < size(), "a sample id must lie inside the data set");
    expect(pixels.size() == bytes, "the buffer must have the size of a picture");
    const auto index = static_cast<std::size_t>(id);
    std::memcpy(pixels.data(), images_.data() + index * bytes, bytes);
    return std::to_integer<std::int64_t>(labels_[index]);
  }

  [[nodiscard]] std::string fingerprint() const override {
    return fmt::format("idx-{}x{}x{}x{}-{}-{:08x}", size(), shape_.height, shape_.width,
                       shape_.channels, classes_.size(), crc32c(labels_, crc32c(images_)));
  }

 private:
  std::vector<std::byte> images_;
  std::vector<std::byte> labels_;
  ImageShape shape_;
  std::vector<std::string> classes_;
};

// The first of folder/NAME and folder/NAME.gz that is there.
std::filesystem::path find(const std::filesystem::path& folder,
                           const std::vector<std::string>& names) {
  std::vector<std::string> looked_for;
  for (const std::string& name : names) {
    for (const char* ending : {"", ".gz"}) {
      looked_for.push_back(name + ending);
      std::filesystem::path path = folder / looked_for.back();
      if (std::filesystem::exists(path)) return path;
    }
  }
  throw Error(ErrorKind::data, fmt::format("data.path {}: none of these files is there: {}",
                                           folder.string(), fmt::join(looked_for, ", ")));
}

Split read_split(const std::filesystem::path& folder, const std::string& prefix) {
  Split split;
  split.images_path = find(folder, {prefix + "-images-idx3-ubyte", prefix + "-images-idx4-ubyte"});
  split.labels_path = find(folder, {prefix + "-labels-idx1-ubyte"});
  split.labels = read_idx(split.labels_path, 1, 1);
  split.images = read_idx(split.images_path, 3, 4);
  const std::int64_t images = split.images.extents[0];
  const std::int64_t labels = split.labels.extents[0];
  if (images != labels) {
    throw Error(ErrorKind::data,
                fmt::format("{}: at byte 4: expected {} labels, one for each image in {}, found {}",
                            split.labels_path.string(), images,
                            split.images_path.filename().string(), labels));
  }
  return split;
}

void require_labels_below(const Split& split, std::int64_t classes) {
  for (std::size_t i = 0; i < split.labels.bytes.size(); ++i) {
    const auto label = std::to_integer<std::int64_t>(split.labels.bytes[i]);
    if (label >= classes) {
      throw Error(
          ErrorKind::data,
          fmt::format(
              "{}: at byte {}: expected a label below {}, the number of classes in the training "
              "labels, found {}",
              split.labels_path.string(), idx_header_bytes(1) + i, classes, label));
    }
  }
}

}  // namespace

Datasets open_idx(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw Error(
        ErrorKind::data,
        fmt::format(
            "data.path {}: there is no such folder; it must hold train-images-idx3-ubyte[.gz], "
            "train-labels-idx1-ubyte[.gz], t10k-images-idx3-ubyte[.gz] and "
            "t10k-labels-idx1-ubyte[.gz], and be visible on every node",
            folder.string()));
  }
  Split train = read_split(folder, "train");
  Split validation = read_split(folder, "t10k");
  const std::byte largest = *std::max_element(train.labels.bytes.begin(), train.labels.bytes.end());
  const std::int64_t classes = std::to_integer<std::int64_t>(largest) + 1;
  require_labels_below(validation, classes);
  return {std::make_unique<IdxDataset>(std::move(train), classes),
          std::make_unique<IdxDataset>(std::move(validation), classes)};
}

}  // namespace lockstep::data
