#include "model/parameter_store.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <numeric>

#include "core/error.hpp"
#include "core/philox.hpp"

namespace lockstep::model {
namespace {

constexpr std::size_t kAlignment = 64 / sizeof(float);  // a cache line, and AVX-512's width

std::size_t aligned(std::size_t count) {
  return (count + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t product(const std::vector<std::int64_t>& shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape, bool channels_last) {
  if (channels_last && shape.size() == 4) {
    return {shape[1] * shape[2] * shape[3], 1, shape[1] * shape[3], shape[1]};
  }
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::span<float> floats(const std::unique_ptr<device::Memory>& memory, std::size_t first,
                        std::size_t count) {
  return {reinterpret_cast<float*>(memory->data()) + first, count};
}

at::TensorOptions options_of(at::ScalarType type, int device) {
  const at::Device where = device < 0 ? at::Device(at::kCPU)
                                      : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device));
  return at::TensorOptions().dtype(type).device(where);
}

}  // namespace

std::size_t ParameterStore::add(std::string name, Role role, std::vector<std::int64_t> shape,
                                Init init, Decay decay) {
  expect(arena_ == nullptr, "tensors are declared before they are allocated");
  Entry entry;
  entry.name = std::move(name);
  entry.role = role;
  entry.count = product(shape);
  entry.shape = std::move(shape);
  entry.init = init;
  entry.decay = decay;
  entries_.push_back(std::move(entry));
  return entries_.size() - 1;
}

void ParameterStore::allocate(const Options& options) {
  device_ = options.device;
  report_count_ = aligned(options.report_count);
  lay_out(options.channels_last);
  const std::size_t arena_count = report_count_ + statistic_count_ + weight_count_;
  arena_ = std::make_unique<device::Memory>(options.device, arena_count * sizeof(float));
  weights_ = std::make_unique<device::Memory>(options.device, weight_count_ * sizeof(float));
  make_tensors(options);
  initialise(options.seed);
}

void ParameterStore::lay_out(bool channels_last) {
  for (Entry& entry : entries_) {
    entry.strides = strides_of(entry.shape, channels_last);
    if (entry.role == Role::counter) {
      entry.offset = counters_.size();
      counters_.push_back(0);
      continue;
    }
    std::size_t& end = entry.role == Role::weight ? weight_count_ : statistic_count_;
    entry.offset = end;
    end += aligned(entry.count);
  }
}

// Not views of one base tensor: a view is left out of autocast's cache of casted weights, and views
// share one version counter. Autograd accumulates into a gradient that is already there, in place.
void ParameterStore::make_tensors(const Options& options) {
  const at::TensorOptions real = options_of(at::kFloat, options.device);
  for (Entry& entry : entries_) {
    switch (entry.role) {
      case Role::weight:
        entry.tensor =
            at::from_blob(weights().data() + entry.offset, entry.shape, entry.strides, real);
        entry.tensor.set_requires_grad(true);
        entry.tensor.mutable_grad() =
            at::from_blob(gradients().data() + entry.offset, entry.shape, entry.strides, real);
        break;
      case Role::statistic:
        entry.tensor =
            at::from_blob(statistics().data() + entry.offset, entry.shape, entry.strides, real);
        break;
      case Role::counter:
        break;
    }
  }
}

// Each tensor draws from a stream of its own, so a change to one layer leaves the others as they
// were; and in row-major order, so the memory layout changes nothing.
void ParameterStore::initialise(std::uint64_t seed) {
  const c10::NoGradGuard no_grad;
  for (std::size_t index = 0; index < entries_.size(); ++index) {
    Entry& entry = entries_[index];
    if (entry.role == Role::counter) continue;
    at::Generator generator = at::detail::createCPUGenerator(mix(seed, index));
    const at::Tensor drawn = at::empty(entry.shape, at::TensorOptions().dtype(at::kFloat));
    switch (entry.init.law) {
      case Init::Law::constant:
        entry.tensor.fill_(entry.init.value);
        break;
      case Init::Law::normal:
        entry.tensor.copy_(drawn.normal_(0, entry.init.value, generator));
        break;
      case Init::Law::uniform:
        entry.tensor.copy_(drawn.uniform_(-entry.init.value, entry.init.value, generator));
        break;
    }
  }
}

std::span<float> ParameterStore::arena() const noexcept {
  return floats(arena_, 0, report_count_ + statistic_count_ + weight_count_);
}
std::span<float> ParameterStore::report() const noexcept {
  return floats(arena_, 0, report_count_);
}
std::span<float> ParameterStore::statistics() const noexcept {
  return floats(arena_, report_count_, statistic_count_);
}
std::span<float> ParameterStore::gradients() const noexcept {
  return floats(arena_, report_count_ + statistic_count_, weight_count_);
}
std::span<float> ParameterStore::weights() const noexcept {
  return floats(weights_, 0, weight_count_);
}

void ParameterStore::count_batch() {
  for (std::int64_t& counter : counters_) ++counter;
}

}  // namespace lockstep::model
