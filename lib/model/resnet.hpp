#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "model/model.hpp"

namespace lockstep::model {

/// Which residual network: He et al. 2015 (ResNet), Xie et al. 2016 (ResNeXt: groups), Zagoruyko
/// and Komodakis 2016 (wide: width_per_group), as torchvision builds them, the stride on the 3x3
/// convolution.
struct ResNetShape {
  enum class Block { basic, bottleneck };
  Block block = Block::basic;
  std::array<std::int64_t, 4> depths = {2, 2, 2, 2};
  std::int64_t groups = 1;
  std::int64_t width_per_group = 64;
  std::int64_t channels = 3;
  std::int64_t classes = 1000;
};
[[nodiscard]] std::unique_ptr<Model> make_resnet(const ResNetShape& shape);

/// The small ones for pictures of 28 to 32 pixels (He et al. 2015, section 4.2): three stages of
/// 16, 32 and 64 channels, `depth` = 6 n + 2, projection shortcuts where the shape changes.
struct SmallResNetShape {
  std::int64_t depth = 20;
  std::int64_t stem_stride = 1;
  std::int64_t channels = 3;
  std::int64_t classes = 10;
};
[[nodiscard]] std::unique_ptr<Model> make_small_resnet(const SmallResNetShape& shape);

}  // namespace lockstep::model
