#include <fmt/format.h>

#include "model/resnet.hpp"
#include "model/trunk.hpp"

namespace lockstep::model {
namespace {

Trunk::Blocks make_blocks(ParameterStore& store, std::int64_t blocks_a_stage) {
  Trunk::Blocks blocks;
  std::int64_t in = 16;
  for (std::int64_t stage = 0; stage < 3; ++stage) {
    const std::int64_t out = std::int64_t{16} << stage;
    for (std::int64_t i = 0; i < blocks_a_stage; ++i) {
      const BlockShape block{
          .in = in, .width = out, .out = out, .stride = i == 0 && stage > 0 ? 2 : 1};
      blocks.push_back(make_basic_block(store, fmt::format("layer{}.{}", stage + 1, i), block));
      in = out;
    }
  }
  return blocks;
}

class SmallResNet final : public Model {
 public:
  explicit SmallResNet(const SmallResNetShape& shape)
      : stem_(parameters(), "conv1",
              {.in = shape.channels,
               .out = 16,
               .kernel = 3,
               .stride = shape.stem_stride,
               .padding = 1}),
        stem_norm_(parameters(), "bn1", 16),
        // Braces: tensors are declared from left to right, blocks before the classifier.
        trunk_{make_blocks(parameters(), (shape.depth - 2) / 6),
               Linear(parameters(), "fc", 64, shape.classes)} {}

  [[nodiscard]] at::Tensor forward(const at::Tensor& images, const Pass& pass) const override {
    return trunk_(stem_norm_.relu(stem_(images), pass), pass);
  }

 private:
  Convolution stem_;
  BatchNorm stem_norm_;
  Trunk trunk_;
};

}  // namespace

std::unique_ptr<Model> make_small_resnet(const SmallResNetShape& shape) {
  return std::make_unique<SmallResNet>(shape);
}

}  // namespace lockstep::model
