#include "data/synthetic.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/philox.hpp"
#include "data/permutation.hpp"

namespace lockstep::data {
namespace {

constexpr std::size_t kNoisePlaces = 65'536;
constexpr unsigned kNoiseLevels = 64;
constexpr std::int64_t kBrightest = 256 - kNoiseLevels;
constexpr std::uint64_t kNoiseKey = 0x6C6F636B73746570ULL;

class SyntheticDataset final : public Dataset {
 public:
  SyntheticDataset(const SyntheticOptions& options, std::int64_t samples, std::uint64_t split)
      : shape_(options.shape), samples_(samples), split_(split) {
    for (std::int64_t i = 0; i < options.classes; ++i)
      classes_.push_back(fmt::format("class-{}", i));
    make_rows(options.classes);
    make_noise();
  }

  [[nodiscard]] std::int64_t size() const override { return samples_; }
  [[nodiscard]] ImageShape shape() const override { return shape_; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }

  [[nodiscard]] std::int64_t read(std::int64_t id, std::span<std::byte> pixels) const override {
    expect(id >= 0 && id < samples_, "a sample id must lie inside the data set");
    expect(pixels.size() == shape_.size_bytes(), "the buffer must have the size of a picture");
    const std::int64_t label = id % static_cast<std::int64_t>(classes_.size());
    const std::size_t row_bytes = bytes_of_row();
    const std::uint8_t* row = rows_.data() + static_cast<std::size_t>(label) * row_bytes;
    Philox random(mix(kNoiseKey, split_, static_cast<std::uint64_t>(id)), 0);
    for (; !pixels.empty(); pixels = pixels.subspan(row_bytes)) {
      const std::uint8_t* noise = noise_.data() + random.below(kNoisePlaces);
      for (std::size_t i = 0; i < row_bytes; ++i) {
        pixels[i] = static_cast<std::byte>(row[i] + noise[i]);
      }
    }
    return label;
  }

  [[nodiscard]] std::string fingerprint() const override {
    return fmt::format("synthetic1-{}-{}x{}x{}x{}-{}", split_, samples_, shape_.height,
                       shape_.width, shape_.channels, classes_.size());
  }

 private:
  [[nodiscard]] std::size_t bytes_of_row() const {
    return static_cast<std::size_t>(shape_.width * shape_.channels);
  }

  // One row without noise a class: brightness in even steps over the classes, in another order a
  // channel.
  void make_rows(std::int64_t classes) {
    rows_.resize(static_cast<std::size_t>(classes) * bytes_of_row());
    for (std::int64_t channel = 0; channel < shape_.channels; ++channel) {
      const Permutation step(classes, static_cast<std::uint64_t>(channel));
      for (std::int64_t label = 0; label < classes; ++label) {
        const std::int64_t level = step.at(label) * kBrightest / classes;
        for (std::int64_t x = 0; x < shape_.width; ++x) {
          rows_[static_cast<std::size_t>((label * shape_.width + x) * shape_.channels + channel)] =
              static_cast<std::uint8_t>(level);
        }
      }
    }
  }

  // Drawn once and read from a place that the sample's own numbers choose, row by row.
  void make_noise() {
    noise_.resize(kNoisePlaces + bytes_of_row());
    Philox random(kNoiseKey, 1);
    for (std::uint8_t& value : noise_)
      value = static_cast<std::uint8_t>(random.below(kNoiseLevels));
  }

  ImageShape shape_;
  std::int64_t samples_;
  std::uint64_t split_;
  std::vector<std::string> classes_;
  std::vector<std::uint8_t> rows_;
  std::vector<std::uint8_t> noise_;
};

}  // namespace

Datasets open_synthetic(const SyntheticOptions& options) {
  expect(options.shape.size_bytes() > 0 && options.classes > 0,
         "synthetic pictures need a shape and classes");
  return {std::make_unique<SyntheticDataset>(options, options.train_samples, 0),
          std::make_unique<SyntheticDataset>(options, options.validation_samples, 1)};
}

}  // namespace lockstep::data
