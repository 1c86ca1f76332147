#include <ATen/ops/adaptive_avg_pool2d.h>
#include <fmt/format.h>

#include "model/residual_block.hpp"
#include "model/resnet.hpp"

namespace lockstep::model {
namespace {

using Blocks = std::vector<std::unique_ptr<ResidualBlock>>;

Blocks make_blocks(ParameterStore& store, std::int64_t blocks_a_stage) {
  Blocks blocks;
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
        blocks_(make_blocks(parameters(), (shape.depth - 2) / 6)),
        head_(parameters(), "fc", 64, shape.classes) {}

  [[nodiscard]] at::Tensor forward(const at::Tensor& images, const Pass& pass) const override {
    at::Tensor x = stem_norm_.relu(stem_(images), pass);
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

std::unique_ptr<Model> make_small_resnet(const SmallResNetShape& shape) {
  return std::make_unique<SmallResNet>(shape);
}

}  // namespace lockstep::model
