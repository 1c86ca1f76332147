#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "device/device.hpp"
#include "train/finite.hpp"
#include "train/flat.hpp"
#include "train/host_mirror.hpp"
#include "train/optimizer.hpp"

namespace lockstep::train {
namespace {

struct Rule {
  float gradient_scale;
  float decay_into_gradient;  // Adam
  float keep_weight;          // AdamW: 1 - rate * decay
  float beta1;
  float beta2;
  float step_size;        // rate / (1 - beta1^t)
  float root_correction;  // sqrt(1 - beta2^t)
  float epsilon;
};

std::uint32_t update(float* __restrict weights, float* __restrict gradients,
                     float* __restrict first, float* __restrict second, std::size_t count,
                     const Rule rule) {
  std::uint32_t bad = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bad |= is_not_finite(gradients[i]);
    const float weight = weights[i] * rule.keep_weight;
    const float gradient = gradients[i] * rule.gradient_scale + rule.decay_into_gradient * weight;
    first[i] = rule.beta1 * first[i] + (1 - rule.beta1) * gradient;
    second[i] = rule.beta2 * second[i] + (1 - rule.beta2) * gradient * gradient;
    weights[i] = weight - rule.step_size * first[i] /
                              (std::sqrt(second[i]) / rule.root_correction + rule.epsilon);
    gradients[i] = 0;
  }
  return bad;
}

class Adam final : public Optimizer {
 public:
  Adam(const OptimizerSettings& settings, model::ParameterStore& store)
      : settings_(settings),
        store_(store),
        memory_(store.device(), 2 * store.weights().size_bytes()),
        first_(reinterpret_cast<float*>(memory_.data()), store.weights().size()),
        second_(first_.data() + first_.size(), first_.size()),
        first_mirror_(store, first_),
        second_mirror_(store, second_) {}

  [[nodiscard]] bool step(double rate, double gradient_scale) override {
    ++step_;
    return store_.device() < 0 ? step_on_host(rate, gradient_scale)
                               : step_on_device(rate, gradient_scale);
  }

  void before_save() override {
    first_mirror_.pull();
    second_mirror_.pull();
  }
  [[nodiscard]] std::vector<checkpoint::TensorView> tensors() override {
    std::vector<checkpoint::TensorView> views;
    append_views(views, store_, model::Role::weight, first_mirror_.host(), "exp_avg/");
    append_views(views, store_, model::Role::weight, second_mirror_.host(), "exp_avg_sq/");
    return views;
  }
  [[nodiscard]] std::string text() const override {
    return nlohmann::json{{"name", is_decoupled() ? "adamw" : "adam"}, {"step", step_}}.dump();
  }
  void after_load(std::string_view text, checkpoint::Restored /*how*/) override {
    step_ = nlohmann::json::parse(text).at("step").get<std::int64_t>();
    first_mirror_.push();
    second_mirror_.push();
  }

 private:
  [[nodiscard]] bool is_decoupled() const { return settings_.name == OptimizerName::adamw; }

  [[nodiscard]] Rule rule_for(double rate, double gradient_scale, double decay) const {
    const auto t = static_cast<double>(step_);
    return {.gradient_scale = static_cast<float>(gradient_scale),
            .decay_into_gradient = is_decoupled() ? 0.0F : static_cast<float>(decay),
            .keep_weight = is_decoupled() ? static_cast<float>(1 - rate * decay) : 1.0F,
            .beta1 = static_cast<float>(settings_.beta1),
            .beta2 = static_cast<float>(settings_.beta2),
            .step_size = static_cast<float>(rate / (1 - std::pow(settings_.beta1, t))),
            .root_correction = static_cast<float>(std::sqrt(1 - std::pow(settings_.beta2, t))),
            .epsilon = static_cast<float>(settings_.epsilon)};
  }

  [[nodiscard]] bool step_on_host(double rate, double gradient_scale) {
    const Rule with_decay = rule_for(rate, gradient_scale, settings_.weight_decay);
    const Rule without_decay = rule_for(rate, gradient_scale, 0);
    std::uint32_t bad = 0;
    for (const model::Entry& entry : store_.entries()) {
      if (entry.role != model::Role::weight) continue;
      bad |=
          update(store_.weights().data() + entry.offset, store_.gradients().data() + entry.offset,
                 first_.data() + entry.offset, second_.data() + entry.offset, entry.count,
                 entry.decay == model::Decay::yes ? with_decay : without_decay);
    }
    return bad == 0;
  }

  [[nodiscard]] bool step_on_device(double rate, double gradient_scale) {
    const bool finite = is_finite(store_, store_.gradients());
    scale(store_, store_.gradients(), static_cast<float>(gradient_scale));
    for (const model::Decay decay : {model::Decay::yes, model::Decay::no}) fused_step(rate, decay);
    scale(store_, store_.gradients(), 0);
    return finite;
  }

  void fused_step(double rate, model::Decay decay) {
    std::vector<at::Tensor> weights;
    std::vector<at::Tensor> gradients;
    std::vector<at::Tensor> firsts;
    std::vector<at::Tensor> seconds;
    std::vector<at::Tensor> steps;
    for (const model::Entry& entry : store_.entries()) {
      if (entry.role != model::Role::weight || entry.decay != decay) continue;
      const auto options = entry.tensor.options();
      weights.push_back(entry.tensor.detach());
      gradients.push_back(entry.tensor.grad());
      firsts.push_back(
          at::from_blob(first_.data() + entry.offset, entry.shape, entry.strides, options));
      seconds.push_back(
          at::from_blob(second_.data() + entry.offset, entry.shape, entry.strides, options));
      steps.push_back(at::full({}, static_cast<double>(step_), options.requires_grad(false)));
    }
    const auto fused = is_decoupled() ? static_cast<FusedStep*>(&at::_fused_adamw_)
                                      : static_cast<FusedStep*>(&at::_fused_adam_);
    fused(weights, gradients, firsts, seconds, {}, steps, rate, settings_.beta1, settings_.beta2,
          decay == model::Decay::yes ? settings_.weight_decay : 0, settings_.epsilon,
          /*amsgrad=*/false, /*maximize=*/false, {}, {});
  }

  using FusedStep = void(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                         at::TensorList, at::TensorList, double, double, double, double, double,
                         bool, bool, const std::optional<at::Tensor>&,
                         const std::optional<at::Tensor>&);

  OptimizerSettings settings_;
  model::ParameterStore& store_;
  device::Memory memory_;
  std::span<float> first_;
  std::span<float> second_;
  HostMirror first_mirror_;
  HostMirror second_mirror_;
  std::int64_t step_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_adam(const OptimizerSettings& settings,
                                     model::ParameterStore& store) {
  return std::make_unique<Adam>(settings, store);
}

}  // namespace lockstep::train
