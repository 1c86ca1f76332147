#include "model/residual_block.hpp"

namespace lockstep::model {
namespace {

// torchvision registers the shortcut last, so it comes last in a state_dict.
std::optional<Projection> make_shortcut(ParameterStore& store, const std::string& name,
                                        const BlockShape& shape) {
  if (shape.stride == 1 && shape.in == shape.out) return std::nullopt;
  return Projection(store, name + ".downsample", shape.in, shape.out, shape.stride);
}

at::Tensor around(const at::Tensor& x, const std::optional<Projection>& shortcut,
                  const Pass& pass) {
  return shortcut ? (*shortcut)(x, pass) : x;
}

class BasicBlock final : public ResidualBlock {
 public:
  BasicBlock(ParameterStore& store, const std::string& name, const BlockShape& shape)
      : first_(
            store, name + ".conv1",
            {.in = shape.in, .out = shape.out, .kernel = 3, .stride = shape.stride, .padding = 1}),
        first_norm_(store, name + ".bn1", shape.out),
        second_(store, name + ".conv2",
                {.in = shape.out, .out = shape.out, .kernel = 3, .padding = 1}),
        second_norm_(store, name + ".bn2", shape.out),
        shortcut_(make_shortcut(store, name, shape)) {}

  [[nodiscard]] at::Tensor operator()(const at::Tensor& x, const Pass& pass) const override {
    const at::Tensor hidden = first_norm_.relu(first_(x), pass);
    return second_norm_.add_relu(second_(hidden), around(x, shortcut_, pass), pass);
  }

 private:
  Convolution first_;
  BatchNorm first_norm_;
  Convolution second_;
  BatchNorm second_norm_;
  std::optional<Projection> shortcut_;
};

class Bottleneck final : public ResidualBlock {
 public:
  Bottleneck(ParameterStore& store, const std::string& name, const BlockShape& shape)
      : narrow_(store, name + ".conv1", {.in = shape.in, .out = shape.width}),
        narrow_norm_(store, name + ".bn1", shape.width),
        middle_(store, name + ".conv2",
                {.in = shape.width,
                 .out = shape.width,
                 .kernel = 3,
                 .stride = shape.stride,
                 .padding = 1,
                 .groups = shape.groups}),
        middle_norm_(store, name + ".bn2", shape.width),
        widen_(store, name + ".conv3", {.in = shape.width, .out = shape.out}),
        widen_norm_(store, name + ".bn3", shape.out),
        shortcut_(make_shortcut(store, name, shape)) {}

  [[nodiscard]] at::Tensor operator()(const at::Tensor& x, const Pass& pass) const override {
    const at::Tensor narrow = narrow_norm_.relu(narrow_(x), pass);
    const at::Tensor middle = middle_norm_.relu(middle_(narrow), pass);
    return widen_norm_.add_relu(widen_(middle), around(x, shortcut_, pass), pass);
  }

 private:
  Convolution narrow_;
  BatchNorm narrow_norm_;
  Convolution middle_;
  BatchNorm middle_norm_;
  Convolution widen_;
  BatchNorm widen_norm_;
  std::optional<Projection> shortcut_;
};

}  // namespace

std::unique_ptr<ResidualBlock> make_basic_block(ParameterStore& store, const std::string& name,
                                                const BlockShape& shape) {
  return std::make_unique<BasicBlock>(store, name, shape);
}

std::unique_ptr<ResidualBlock> make_bottleneck(ParameterStore& store, const std::string& name,
                                               const BlockShape& shape) {
  return std::make_unique<Bottleneck>(store, name, shape);
}

}  // namespace lockstep::model
