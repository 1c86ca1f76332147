#include "model/layers.hpp"

#include <ATen/ops/linear.h>

#include <cmath>

#include "model/batch_norm.hpp"
#include "model/convolution.hpp"
#include "model/sync_batch_norm.hpp"

namespace lockstep::model {
namespace {

constexpr double kMomentum = 0.1;
constexpr double kEpsilon = 1e-5;

}  // namespace

Convolution::Convolution(ParameterStore& store, const std::string& name,
                         const ConvolutionShape& shape)
    : store_(&store), shape_(shape) {
  const double fan_out = static_cast<double>(shape.out * shape.kernel * shape.kernel);
  weight_ = store.add(name + ".weight", Role::weight,
                      {shape.out, shape.in / shape.groups, shape.kernel, shape.kernel},
                      {Init::Law::normal, std::sqrt(2.0 / fan_out)}, Decay::yes);
}

at::Tensor Convolution::operator()(const at::Tensor& x) const {
  return convolution(x, (*store_)[weight_], shape_);
}

BatchNorm::BatchNorm(ParameterStore& store, const std::string& name, std::int64_t channels)
    : store_(&store),
      weight_(store.add(name + ".weight", Role::weight, {channels}, {Init::Law::constant, 1},
                        Decay::no)),
      bias_(
          store.add(name + ".bias", Role::weight, {channels}, {Init::Law::constant, 0}, Decay::no)),
      mean_(store.add(name + ".running_mean", Role::statistic, {channels}, {Init::Law::constant, 0},
                      Decay::no)),
      variance_(store.add(name + ".running_var", Role::statistic, {channels},
                          {Init::Law::constant, 1}, Decay::no)) {
  store.add(name + ".num_batches_tracked", Role::counter, {}, {}, Decay::no);
}

at::Tensor BatchNorm::apply(const at::Tensor& x, const at::Tensor& shortcut,
                            kernels::Activation activation, const Pass& pass) const {
  const ParameterStore& store = *store_;
  const NormTensors tensors{store[weight_], store[bias_], store[mean_], store[variance_]};
  if (pass.mode == Mode::evaluation || pass.sum_over_ranks == nullptr) {
    return batch_norm(x, shortcut, tensors, activation, pass.mode, kMomentum, kEpsilon);
  }
  at::Tensor y =
      sync_batch_norm(x, tensors.weight, tensors.bias, tensors.running_mean,
                      tensors.running_variance, kMomentum, kEpsilon, *pass.sum_over_ranks);
  if (shortcut.defined()) y = y.add_(shortcut);
  return activation == kernels::Activation::relu ? y.relu_() : y;
}

Linear::Linear(ParameterStore& store, const std::string& name, std::int64_t in, std::int64_t out)
    : store_(&store) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(in));
  weight_ =
      store.add(name + ".weight", Role::weight, {out, in}, {Init::Law::uniform, bound}, Decay::yes);
  bias_ = store.add(name + ".bias", Role::weight, {out}, {Init::Law::uniform, bound}, Decay::no);
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
  return at::linear(x, (*store_)[weight_], (*store_)[bias_]);
}

}  // namespace lockstep::model
