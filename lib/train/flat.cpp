#include "train/flat.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "train/finite.hpp"

namespace lockstep::train {
namespace {

at::Tensor on_device(const model::ParameterStore& store, std::span<const float> values) {
  const auto options =
      at::TensorOptions()
          .dtype(at::kFloat)
          .device(at::Device(at::kCUDA, static_cast<at::DeviceIndex>(store.device())));
  return at::from_blob(const_cast<float*>(values.data()),
                       {static_cast<std::int64_t>(values.size())}, options);
}

bool is_on_host(const model::ParameterStore& store) { return store.device() < 0; }

}  // namespace

void scale(const model::ParameterStore& store, std::span<float> values, float factor) {
  if (!is_on_host(store)) {
    on_device(store, values).mul_(factor);
    return;
  }
  for (float& value : values) value *= factor;
}

double norm(const model::ParameterStore& store, std::span<const float> values) {
  if (!is_on_host(store)) {
    return at::linalg_vector_norm(on_device(store, values), 2, {}, false, at::kDouble)
        .item<double>();
  }
  // Eight sums in a fixed pattern: quick, and the same bits on every rank.
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= values.size(); i += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) {
      const double value = values[i + lane];
      sums[lane] += value * value;
    }
  }
  for (; i < values.size(); ++i) sums[0] += double{values[i]} * double{values[i]};
  double total = 0;
  for (const double sum : sums) total += sum;
  return std::sqrt(total);
}

bool is_finite(const model::ParameterStore& store, std::span<const float> values) {
  if (!is_on_host(store)) return at::isfinite(on_device(store, values)).all().item<bool>();
  std::uint32_t bad = 0;
  for (const float value : values) bad |= is_not_finite(value);
  return bad == 0;
}

void read(const model::ParameterStore& store, std::span<const float> from, std::span<float> to) {
  if (is_on_host(store)) {
    if (from.data() != to.data()) std::copy(from.begin(), from.end(), to.begin());
    return;
  }
  device::copy_to_host(std::as_writable_bytes(to), reinterpret_cast<const std::byte*>(from.data()));
}

void write(const model::ParameterStore& store, std::span<const float> from, std::span<float> to) {
  if (is_on_host(store)) {
    if (from.data() != to.data()) std::copy(from.begin(), from.end(), to.begin());
    return;
  }
  device::copy_to_device(reinterpret_cast<std::byte*>(to.data()), std::as_bytes(from));
}

}  // namespace lockstep::train
