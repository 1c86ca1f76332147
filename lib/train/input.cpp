#include "train/input.hpp"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace lockstep::train {
namespace {

at::Device device_of(int device) {
  return device < 0 ? at::Device(at::kCPU)
                    : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device));
}

// Borrowed: from_blob wants a pointer to non-const, but nothing writes through these.
template <typename T>
at::Tensor borrow(const T* data, at::IntArrayRef shape, at::ScalarType type) {
  return at::from_blob(const_cast<T*>(data), shape, at::TensorOptions().dtype(type));
}

void must_fit(std::string_view key, const std::vector<double>& values, std::size_t channels) {
  if (values.size() == channels) return;
  throw Error(ErrorKind::usage, fmt::format("{} has {} values, but the pictures have {} channels: "
                                            "give one a channel, or none",
                                            key, values.size(), channels));
}

}  // namespace

Input::Input(std::vector<double> mean, std::vector<double> std, std::int64_t channels, int device)
    : device_(device_of(device)) {
  const auto count = static_cast<std::size_t>(channels);
  if (mean.empty()) mean.assign(count, 0.5);
  if (std.empty()) std.assign(count, 0.25);
  must_fit("data.mean", mean, count);
  must_fit("data.std", std, count);
  std::vector<float> factor(count);
  std::vector<float> shift(count);
  for (std::size_t c = 0; c < count; ++c) {
    factor[c] = static_cast<float>(1 / (255 * std[c]));
    shift[c] = static_cast<float>(mean[c] / std[c]);
  }
  factor_ = borrow(factor.data(), {channels}, at::kFloat).clone().to(device_);
  shift_ = borrow(shift.data(), {channels}, at::kFloat).clone().to(device_);
}

at::Tensor Input::images(const data::Batch& batch, std::int64_t first, std::int64_t count) const {
  const data::ImageShape& shape = batch.shape;
  const std::byte* pixels =
      batch.pixels.data() + static_cast<std::size_t>(first) * shape.size_bytes();
  const at::Tensor raw =
      borrow(pixels, {count, shape.height, shape.width, shape.channels}, at::kByte).to(device_);
  return raw.to(at::kFloat).mul_(factor_).sub_(shift_).permute({0, 3, 1, 2});
}

Labels Input::labels(const data::Batch& batch, std::int64_t first, std::int64_t count) const {
  const auto at = static_cast<std::size_t>(first);
  Labels labels;
  labels.first = borrow(batch.labels.data() + at, {count}, at::kLong).to(device_);
  const auto weights = std::span(batch.weights).subspan(at, static_cast<std::size_t>(count));
  if (std::all_of(weights.begin(), weights.end(), [](float weight) { return weight == 1.0F; }))
    return labels;
  labels.other = borrow(batch.other_labels.data() + at, {count}, at::kLong).to(device_);
  labels.weight = borrow(weights.data(), {count}, at::kFloat).to(device_);
  return labels;
}

}  // namespace lockstep::train
