#include "model/resnet.hpp"
#include "model/trunk.hpp"

#include <ATen/ops/max_pool2d.h>
#include <fmt/format.h>

namespace lockstep::model {
namespace {

constexpr std::int64_t kStemChannels = 64;

std::int64_t expansion(ResNetShape::Block block) {
  return block == ResNetShape::Block::basic ? 1 : 4;
}

Trunk::Blocks make_blocks(ParameterStore& store, const ResNetShape& shape) {
  Trunk::Blocks blocks;
  std::int64_t in = kStemChannels;
  for (std::size_t stage = 0; stage < shape.depths.size(); ++stage) {
    const std::int64_t base = std::int64_t{64} << stage;
    for (std::int64_t i = 0; i < shape.depths[stage]; ++i) {
      const BlockShape block{.in = in,
                             .width = base * shape.width_per_group / 64 * shape.groups,
                             .out = base * expansion(shape.block),
                             .stride = i == 0 && stage > 0 ? 2 : 1,
                             .groups = shape.groups};
      const std::string name = fmt::format("layer{}.{}", stage + 1, i);
      blocks.push_back(shape.block == ResNetShape::Block::basic
                           ? make_basic_block(store, name, block)
                           : make_bottleneck(store, name, block));
      in = block.out;
    }
  }
  return blocks;
}

class ResNet final : public Model {
 public:
  explicit ResNet(const ResNetShape& shape)
      : stem_(parameters(), "conv1",
              {.in = shape.channels, .out = kStemChannels, .kernel = 7, .stride = 2, .padding = 3}),
        stem_norm_(parameters(), "bn1", kStemChannels),
        // Braces: tensors are declared from left to right, blocks before the classifier.
        trunk_{make_blocks(parameters(), shape),
               Linear(parameters(), "fc", 512 * expansion(shape.block), shape.classes)} {}

  [[nodiscard]] at::Tensor forward(const at::Tensor& images, const Pass& pass) const override {
    const at::Tensor x = stem_norm_.relu(stem_(images), pass);
    return trunk_(at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1}), pass);
  }

 private:
  Convolution stem_;
  BatchNorm stem_norm_;
  Trunk trunk_;
};

}  // namespace

std::unique_ptr<Model> make_resnet(const ResNetShape& shape) {
  return std::make_unique<ResNet>(shape);
}

}  // namespace lockstep::model
