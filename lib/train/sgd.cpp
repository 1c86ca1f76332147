#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/from_blob.h>

#include "device/device.hpp"
#include "train/finite.hpp"
#include "train/flat.hpp"
#include "train/host_mirror.hpp"
#include "train/optimizer.hpp"

namespace lockstep::train {
namespace {

struct Rule {
  float rate;
  float momentum;
  float decay;
  float gradient_scale;
};

// A plain loop: bound by memory, so neither -march nor ATen's kernels are faster (measured).
// Returns 1 if a gradient was infinite or NaN; looking costs nothing here.
template <bool kNesterov>
std::uint32_t update(float* __restrict weights, float* __restrict gradients,
                     float* __restrict velocity, std::size_t count, const Rule rule) {
  std::uint32_t bad = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bad |= is_not_finite(gradients[i]);
    const float gradient = gradients[i] * rule.gradient_scale + rule.decay * weights[i];
    velocity[i] = rule.momentum * velocity[i] + gradient;
    weights[i] -= rule.rate * (kNesterov ? gradient + rule.momentum * velocity[i] : velocity[i]);
    gradients[i] = 0;
  }
  return bad;
}

class Sgd final : public Optimizer {
 public:
  Sgd(const OptimizerSettings& settings, model::ParameterStore& store)
      : settings_(settings),
        store_(store),
        memory_(store.device(), store.weights().size_bytes()),
        velocity_(reinterpret_cast<float*>(memory_.data()), store.weights().size()),
        mirror_(store, velocity_) {}

  [[nodiscard]] bool step(double rate, double gradient_scale) override {
    return store_.device() < 0 ? step_on_host(rate, gradient_scale)
                               : step_on_device(rate, gradient_scale);
  }

  void before_save() override { mirror_.pull(); }
  [[nodiscard]] std::vector<checkpoint::TensorView> tensors() override {
    std::vector<checkpoint::TensorView> views;
    append_views(views, store_, model::Role::weight, mirror_.host(), "momentum/");
    return views;
  }
  [[nodiscard]] std::string text() const override { return R"({"name":"sgd"})"; }
  void after_load(std::string_view /*text*/, checkpoint::Restored /*how*/) override {
    mirror_.push();
  }

 private:
  [[nodiscard]] bool step_on_host(double rate, double gradient_scale) {
    std::uint32_t bad = 0;
    for (const model::Entry& entry : store_.entries()) {
      if (entry.role != model::Role::weight) continue;
      const Rule rule{
          static_cast<float>(rate), static_cast<float>(settings_.momentum),
          entry.decay == model::Decay::yes ? static_cast<float>(settings_.weight_decay) : 0.0F,
          static_cast<float>(gradient_scale)};
      float* weights = store_.weights().data() + entry.offset;
      float* gradients = store_.gradients().data() + entry.offset;
      float* velocity = velocity_.data() + entry.offset;
      bad |= settings_.nesterov ? update<true>(weights, gradients, velocity, entry.count, rule)
                                : update<false>(weights, gradients, velocity, entry.count, rule);
    }
    return bad == 0;
  }

  [[nodiscard]] bool step_on_device(double rate, double gradient_scale) {
    const bool finite = is_finite(store_, store_.gradients());
    scale(store_, store_.gradients(), static_cast<float>(gradient_scale));
    for (const model::Decay decay : {model::Decay::yes, model::Decay::no}) {
      std::vector<at::Tensor> weights;
      std::vector<at::Tensor> gradients;
      std::vector<at::Tensor> velocities;
      for (const model::Entry& entry : store_.entries()) {
        if (entry.role != model::Role::weight || entry.decay != decay) continue;
        weights.push_back(entry.tensor.detach());
        gradients.push_back(entry.tensor.grad());
        velocities.push_back(at::from_blob(velocity_.data() + entry.offset, entry.shape,
                                           entry.strides, entry.tensor.options()));
      }
      at::_fused_sgd_(weights, gradients, velocities,
                      decay == model::Decay::yes ? settings_.weight_decay : 0, settings_.momentum,
                      rate, /*dampening=*/0, settings_.nesterov, /*maximize=*/false,
                      /*is_first_step=*/false);
    }
    scale(store_, store_.gradients(), 0);
    return finite;
  }

  OptimizerSettings settings_;
  model::ParameterStore& store_;
  device::Memory memory_;
  std::span<float> velocity_;
  HostMirror mirror_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const OptimizerSettings& settings,
                                    model::ParameterStore& store) {
  return std::make_unique<Sgd>(settings, store);
}

}  // namespace lockstep::train
