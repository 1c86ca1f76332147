#include "model/resnet.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/max_pool2d.h>
#include <fmt/format.h>

#include "model/residual_block.hpp"

namespace lockstep::model {
namespace {

using Blocks = std::vector<std::unique_ptr<ResidualBlock>>;

constexpr std::int64_t kStemChannels = 64;

std::int64_t expansion(ResNetShape::Block block) {
  return block == ResNetShape::Block::basic ? 1 : 4;
}

Blocks make_blocks(ParameterStore& store, const ResNetShape& shape) {
  Blocks blocks;
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
        blocks_(make_blocks(parameters(), shape)),
        head_(parameters(), "fc", 512 * expansion(shape.block), shape.classes) {}

  [[nodiscard]] at::Tensor forward(const at::Tensor& images, const Pass& pass) const override {
    at::Tensor x = stem_norm_.relu(stem_(images), pass);
    x = at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
    for (const auto& block : blocks_) x = (*block)(x, pass);
    return head_(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  Convolution stem_;
  BatchNorm stem_norm_;
  Blocks blocks_;
  Linear head_;
};

}  // namespace

std::unique_ptr<Model> make_resnet(const ResNetShape& shape) {
  return std::make_unique<ResNet>(shape);
}

}  // namespace lockstep::model
