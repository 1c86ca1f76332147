#include "model/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <functional>

#include "core/error.hpp"
#include "model/resnet.hpp"

namespace lockstep::model {
namespace {

using Block = ResNetShape::Block;

struct Recipe {
  std::string_view name;
  std::function<std::unique_ptr<Model>(const Settings&, const InputShape&)> make;
};

Recipe large(std::string_view name, ResNetShape shape) {
  return {name, [shape](const Settings&, const InputShape& input) mutable {
            shape.channels = input.channels;
            shape.classes = input.classes;
            return make_resnet(shape);
          }};
}

Recipe small(std::string_view name, std::int64_t depth) {
  return {name, [depth](const Settings& settings, const InputShape& input) {
            return make_small_resnet({depth, settings.stem_stride, input.channels, input.classes});
          }};
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      small("resnet20", 20),
      small("resnet32", 32),
      small("resnet44", 44),
      small("resnet56", 56),
      small("resnet110", 110),
      large("resnet18", {.block = Block::basic, .depths = {2, 2, 2, 2}}),
      large("resnet34", {.block = Block::basic, .depths = {3, 4, 6, 3}}),
      large("resnet50", {.block = Block::bottleneck, .depths = {3, 4, 6, 3}}),
      large("resnet101", {.block = Block::bottleneck, .depths = {3, 4, 23, 3}}),
      large("resnet152", {.block = Block::bottleneck, .depths = {3, 8, 36, 3}}),
      large(
          "resnext50_32x4d",
          {.block = Block::bottleneck, .depths = {3, 4, 6, 3}, .groups = 32, .width_per_group = 4}),
      large("wide_resnet50_2",
            {.block = Block::bottleneck, .depths = {3, 4, 6, 3}, .width_per_group = 128}),
  };
  return all;
}

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const Recipe& recipe : recipes()) result.emplace_back(recipe.name);
  return result;
}

std::unique_ptr<Model> make(const Settings& settings, const InputShape& input) {
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == settings.name) return recipe.make(settings, input);
  }
  throw Error(ErrorKind::usage, fmt::format("model.name '{}' is not known; there are: {}",
                                            settings.name, fmt::join(names(), ", ")));
}

}  // namespace lockstep::model
