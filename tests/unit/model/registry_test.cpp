#include "model/registry.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/networks.hpp"
#include "support/reference.hpp"

namespace lockstep::model {
namespace {

std::int64_t trained_elements(const Model& model) {
  std::int64_t count = 0;
  for (const Entry& entry : model.parameters().entries()) {
    if (entry.role == Role::weight) count += static_cast<std::int64_t>(entry.count);
  }
  return count;
}

std::vector<std::string> described(const Model& model) {
  std::vector<std::string> lines;
  for (const Entry& entry : model.parameters().entries()) {
    std::string line = entry.name;
    for (const std::int64_t extent : entry.shape) line += fmt::format(" {}", extent);
    lines.push_back(line);
  }
  return lines;
}

class Torchvision : public testing::TestWithParam<std::string> {};

TEST_P(Torchvision, HasTheSameNamesShapesAndOrder) {
  const auto row = tests::reference("torchvision_names.json").at(GetParam());
  const auto model = tests::network(GetParam(), {.channels = 3, .classes = 1000});
  EXPECT_EQ(described(*model), row.at("entries").get<std::vector<std::string>>());
}

TEST_P(Torchvision, HasAsManyParametersAndElements) {
  const auto row = tests::reference("torchvision_names.json").at(GetParam());
  const auto model = tests::network(GetParam(), {.channels = 3, .classes = 1000});
  std::int64_t weights = 0;
  for (const Entry& entry : model->parameters().entries())
    weights += entry.role == Role::weight ? 1 : 0;
  EXPECT_EQ(weights, row.at("parameters").get<std::int64_t>());
  EXPECT_EQ(trained_elements(*model), row.at("elements").get<std::int64_t>());
}

INSTANTIATE_TEST_SUITE_P(SevenNetworks, Torchvision,
                         testing::Values("resnet18", "resnet34", "resnet50", "resnet101",
                                         "resnet152", "resnext50_32x4d", "wide_resnet50_2"),
                         [](const auto& one) { return one.param; });

TEST(Registry, TakesChannelsAndClassesFromTheData) {
  const auto model = tests::network("resnet18", {.channels = 1, .classes = 7});
  EXPECT_EQ(described(*model).front(), "conv1.weight 64 1 7 7");
  EXPECT_EQ(described(*model).back(), "fc.bias 7");
}

// By hand, 3 channels and 10 classes: stem 3*16*9 + 2*16 = 464; a block of width w costs
// 2*9*w*w + 4*w: 4672, 18560, 73984; the first block of stages 2 and 3 has half the inputs in one
// convolution (-9*w*w/2) and a projection (w*w/2 + 2*w): 14528 and 57728; head 64*10 + 10 = 650.
// With n blocks a stage: 464 + n * 4672 + 14528 + (n-1) * 18560 + 57728 + (n-1) * 73984 + 650.
TEST(SmallResNets, HaveTheParametersThatOneCountsByHand) {
  const InputShape input{.channels = 3, .classes = 10};
  EXPECT_EQ(trained_elements(*tests::network("resnet20", input)), 272474);
  EXPECT_EQ(trained_elements(*tests::network("resnet32", input)), 466906);
  EXPECT_EQ(trained_elements(*tests::network("resnet44", input)), 661338);
  EXPECT_EQ(trained_elements(*tests::network("resnet56", input)), 855770);
  EXPECT_EQ(trained_elements(*tests::network("resnet110", input)), 1730714);
}

TEST(Registry, MakesEveryNameThatItLists) {
  for (const std::string& name : names()) EXPECT_NE(tests::network(name, {}), nullptr) << name;
}

TEST(Registry, RefusesAnUnknownNameAndListsTheKnownOnes) {
  try {
    static_cast<void>(tests::network("resnet19", {}));
    FAIL() << "made a resnet19";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("'resnet19'"),
                                             testing::HasSubstr("resnet18, resnet34")));
  }
}

}  // namespace
}  // namespace lockstep::model
