#include "model/batch_norm.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

namespace lockstep::model {
namespace {

using kernels::Activation;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr auto kChannelsLast = at::MemoryFormat::ChannelsLast;

kernels::Shape shape_of(const at::Tensor& x) {
  return {static_cast<std::size_t>(x.numel() / x.size(1)), static_cast<std::size_t>(x.size(1))};
}

template <typename T>
T* data(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<T*>(tensor.mutable_data_ptr()) : nullptr;
}

// Calls `kernel` with a null pointer of the element type.
template <typename Kernel>
void for_type_of(const at::Tensor& x, Kernel&& kernel) {
  x.scalar_type() == at::kFloat ? kernel(static_cast<float*>(nullptr))
                                : kernel(static_cast<BFloat16*>(nullptr));
}

bool is_dense(const at::Tensor& x) {
  return x.device().is_cpu() && x.dim() == 4 && x.numel() > 0 &&
         (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16) &&
         x.is_contiguous(kChannelsLast);
}

at::Tensor normalise(const at::Tensor& x, const at::Tensor& shortcut, const NormTensors& tensors,
                     const at::Tensor& mean, const at::Tensor& inverse, Activation activation) {
  const at::Tensor scale = tensors.weight.detach() * inverse;
  const at::Tensor offset = tensors.bias.detach() - mean * scale;
  at::Tensor y = at::empty_like(x, x.options(), kChannelsLast);
  for_type_of(x, [&]<typename T>(T*) {
    kernels::normalise(data<T>(x), data<T>(shortcut), data<T>(y), shape_of(x),
                       {data<float>(scale), data<float>(offset), activation});
  });
  return y;
}

struct FusedNorm : torch::autograd::Function<FusedNorm> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const std::optional<at::Tensor>& maybe_shortcut,
                            const at::Tensor& weight, const at::Tensor& bias,
                            const NormTensors* tensors, Activation activation, double momentum,
                            double epsilon) {
    const at::Tensor shortcut = maybe_shortcut.value_or(at::Tensor());
    const kernels::Shape shape = shape_of(x);
    const at::Tensor mean = at::empty_like(weight);
    const at::Tensor variance = at::empty_like(weight);
    for_type_of(x, [&]<typename T>(T*) {
      kernels::moments(data<T>(x), shape, data<float>(mean), data<float>(variance));
    });
    const double rows = static_cast<double>(shape.rows);
    tensors->running_mean.mul_(1 - momentum).add_(mean, momentum);
    tensors->running_variance.mul_(1 - momentum).add_(variance, momentum * rows / (rows - 1));
    const at::Tensor inverse = (variance + epsilon).rsqrt();
    const at::Tensor y =
        normalise(x, shortcut, {weight, bias, mean, variance}, mean, inverse, activation);
    context->saved_data["relu"] = activation == Activation::relu;
    context->saved_data["shortcut"] = shortcut.defined();
    context->save_for_backward(
        {x, activation == Activation::relu ? y : at::Tensor(), weight, mean, inverse});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& y = saved[1];
    const at::Tensor& mean = saved[3];
    const at::Tensor& inverse = saved[4];
    const bool has_relu = context->saved_data["relu"].toBool();
    const bool has_shortcut = context->saved_data["shortcut"].toBool();
    at::Tensor dy = gradients[0].contiguous(kChannelsLast);
    const kernels::Shape shape = shape_of(x);

    // The shortcut's gradient is the masked one; where there is none to hand on, it is not kept.
    const at::Tensor masked = has_shortcut && has_relu ? at::empty_like(dy) : at::Tensor();
    const at::Tensor sum = at::empty_like(mean);
    const at::Tensor product = at::empty_like(mean);
    at::Tensor dx = at::empty_like(x, x.options(), kChannelsLast);
    for_type_of(x, [&]<typename T>(T*) {
      kernels::gradient_sums(data<T>(x), data<T>(y), data<T>(dy), data<T>(masked), shape,
                             data<float>(mean), {data<float>(sum), data<float>(product)});
      const at::Tensor by_gradient = saved[2] * inverse;
      const auto rows = static_cast<double>(shape.rows);
      const at::Tensor by_distance = by_gradient * inverse * inverse * product * (-1 / rows);
      const at::Tensor constant = by_gradient * sum * (-1 / rows);
      kernels::input_gradient(data<T>(x), masked.defined() ? nullptr : data<T>(y),
                              masked.defined() ? data<T>(masked) : data<T>(dy), data<T>(dx), shape,
                              {data<float>(mean), data<float>(by_gradient),
                               data<float>(by_distance), data<float>(constant)});
    });
    const at::Tensor to_shortcut = !has_shortcut ? at::Tensor() : has_relu ? masked : dy;
    return {dx, to_shortcut, product * inverse, sum, {}, {}, {}, {}};
  }
};

at::Tensor with_library(const at::Tensor& x, const at::Tensor& shortcut, const NormTensors& tensors,
                        Activation activation, Mode mode, double momentum, double epsilon) {
  at::Tensor y = at::batch_norm(x, tensors.weight, tensors.bias, tensors.running_mean,
                                tensors.running_variance, mode == Mode::training, momentum, epsilon,
                                /*cudnn_enabled=*/true);
  if (shortcut.defined()) y.add_(shortcut);
  return activation == Activation::relu ? y.relu_() : y;
}

}  // namespace

at::Tensor batch_norm(const at::Tensor& x, const at::Tensor& shortcut, const NormTensors& tensors,
                      Activation activation, Mode mode, double momentum, double epsilon) {
  const bool can_fuse =
      is_dense(x) &&
      (!shortcut.defined() || (is_dense(shortcut) && shortcut.scalar_type() == x.scalar_type()));
  if (!can_fuse) {
    return with_library(x, shortcut, tensors, activation, mode, momentum, epsilon);
  }
  if (mode == Mode::training) {
    // Autograd takes no undefined tensor for an argument, but an empty optional.
    const auto maybe_shortcut = shortcut.defined() ? std::optional(shortcut) : std::nullopt;
    return FusedNorm::apply(x, maybe_shortcut, tensors.weight, tensors.bias, &tensors, activation,
                            momentum, epsilon);
  }
  return normalise(x, shortcut, tensors, tensors.running_mean,
                   (tensors.running_variance + epsilon).rsqrt(), activation);
}

}  // namespace lockstep::model
