#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "support/networks.hpp"

namespace lockstep::model {
namespace {

std::unique_ptr<Model> resnet20(const ParameterStore::Options& options = {}) {
  auto model = tests::network("resnet20", {.channels = 3, .classes = 10});
  model->parameters().allocate(options);
  return model;
}

const Entry& named(const Model& model, std::string_view name) {
  for (const Entry& entry : model.parameters().entries()) {
    if (entry.name == name) return entry;
  }
  throw Error(ErrorKind::internal, "no entry " + std::string(name));
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

bool lies_at(const at::Tensor& tensor, std::span<float> flat, const Entry& entry) {
  return tensor.data_ptr<float>() == flat.data() + entry.offset &&
         tensor.strides() == at::IntArrayRef(entry.strides);
}

TEST(Initialisation, DrawsConvolutionsFromHesNormalLawWithFanOut) {
  const auto model = resnet20({.seed = 3});
  const Entry& entry = named(*model, "layer3.2.conv2.weight");
  const double law = std::sqrt(2.0 / (64 * 3 * 3));
  const auto n = static_cast<double>(entry.count);  // 36864
  EXPECT_NEAR(entry.tensor.std().item<double>(), law, 5 * law / std::sqrt(2 * n));
  EXPECT_NEAR(entry.tensor.mean().item<double>(), 0, 5 * law / std::sqrt(n));
  // In a strided projection fan in and fan out differ, which tells the two laws apart.
  const Entry& projection = named(*model, "layer3.0.downsample.0.weight");
  EXPECT_NEAR(projection.tensor.std().item<double>(), std::sqrt(2.0 / 64),
              5 * std::sqrt(2.0 / 64) / std::sqrt(2.0 * 2048));
}

TEST(Initialisation, DrawsTheHeadUniformlyWithinItsBound) {
  const auto model = resnet20({.seed = 3});
  const double bound = 1.0 / 8;  // 1 / sqrt(64)
  for (const char* name : {"fc.weight", "fc.bias"}) {
    const at::Tensor& tensor = named(*model, name).tensor;
    EXPECT_LE(tensor.abs().max().item<double>(), bound) << name;
    EXPECT_GT(tensor.abs().max().item<double>(), 0.5 * bound) << name;
  }
  const at::Tensor& weight = named(*model, "fc.weight").tensor;  // 640 values
  EXPECT_GT(weight.max().item<double>(), 0.95 * bound);
  EXPECT_LT(weight.min().item<double>(), -0.95 * bound);
  EXPECT_NEAR(weight.std().item<double>(), bound / std::sqrt(3.0), 0.1 * bound);
}

TEST(Initialisation, LeavesNormsAtOneAndZero) {
  const auto model = resnet20({.seed = 3});
  for (const Entry& entry : model->parameters().entries()) {
    const bool is_norm = entry.name.find("bn") != std::string::npos ||
                         entry.name.find("downsample.1") != std::string::npos;
    if (!is_norm || entry.role == Role::counter) continue;
    const bool is_one = entry.name.ends_with(".weight") || entry.name.ends_with(".running_var");
    EXPECT_TRUE(entry.tensor.eq(is_one ? 1 : 0).all().item<bool>()) << entry.name;
  }
}

TEST(Initialisation, GivesTheSameBitsForTheSameSeedAndOthersForAnother) {
  const auto first = resnet20({.seed = 3});
  const auto again = resnet20({.seed = 3});
  const auto other = resnet20({.seed = 4});
  EXPECT_TRUE(same_bits(first->parameters().weights(), again->parameters().weights()));
  for (std::size_t i = 0; i < first->parameters().entries().size(); ++i) {
    const Entry& entry = first->parameters().entries()[i];
    if (entry.init.law == Init::Law::constant || entry.role != Role::weight) continue;
    EXPECT_FALSE(entry.tensor.equal(other->parameters()[i])) << entry.name;
  }
}

TEST(Initialisation, DoesNotDependOnTheMemoryLayout) {
  const auto inner = resnet20({.channels_last = true, .report_count = 40, .seed = 3});
  const auto outer = resnet20({.channels_last = false, .seed = 3});
  for (std::size_t i = 0; i < inner->parameters().entries().size(); ++i) {
    const Entry& entry = inner->parameters().entries()[i];
    if (entry.role == Role::counter) continue;
    EXPECT_TRUE(entry.tensor.equal(outer->parameters()[i])) << entry.name;
  }
}

TEST(Layout, KeepsChannelsInnermostWhereItIsAskedTo) {
  const auto inner = resnet20({.channels_last = true});
  const auto outer = resnet20({.channels_last = false});
  EXPECT_EQ(named(*inner, "layer2.0.conv1.weight").tensor.strides(),
            (at::IntArrayRef{16 * 9, 1, 16 * 3, 16}));
  EXPECT_EQ(named(*outer, "layer2.0.conv1.weight").tensor.strides(),
            (at::IntArrayRef{16 * 9, 9, 3, 1}));
  EXPECT_TRUE(
      named(*inner, "layer2.0.conv1.weight").tensor.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_EQ(named(*inner, "fc.weight").tensor.strides(), (at::IntArrayRef{64, 1}));
}

TEST(Layout, PutsReportStatisticsAndGradientsOneBehindTheOther) {
  const auto model = resnet20({.report_count = 29});
  const ParameterStore& store = model->parameters();
  EXPECT_GE(store.report().size(), 29U);
  EXPECT_EQ(store.report().data(), store.arena().data());
  EXPECT_EQ(store.statistics().data(), store.report().data() + store.report().size());
  EXPECT_EQ(store.gradients().data(), store.statistics().data() + store.statistics().size());
  EXPECT_EQ(store.gradients().size(), store.weights().size());
  EXPECT_EQ(store.arena().size(),
            store.report().size() + store.statistics().size() + store.gradients().size());
}

TEST(Layout, BeginsEverySliceAtACacheLineAndNeverOverlaps) {
  const auto model = resnet20({.report_count = 29});
  const ParameterStore& store = model->parameters();
  std::size_t weights_end = 0;
  std::size_t statistics_end = 0;
  for (const Entry& entry : store.entries()) {
    if (entry.role == Role::counter) continue;
    std::size_t& end = entry.role == Role::weight ? weights_end : statistics_end;
    EXPECT_GE(entry.offset, end) << entry.name;
    end = entry.offset + entry.count;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(entry.tensor.data_ptr()) % 64, 0U) << entry.name;
    const auto flat = entry.role == Role::weight ? store.weights() : store.statistics();
    EXPECT_TRUE(lies_at(entry.tensor, flat, entry)) << entry.name;
  }
  EXPECT_LE(weights_end, store.weights().size());
  EXPECT_LE(statistics_end, store.statistics().size());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(store.gradients().data()) % 64, 0U);
}

TEST(Gradients, ArriveInTheArenaAndStayThereOverSeveralSteps) {
  const auto model = resnet20({.report_count = 29});
  ParameterStore& store = model->parameters();
  const at::Tensor images = at::randn({2, 3, 8, 8});
  for (int step = 0; step < 3; ++step) {
    model->forward(images, {.mode = Mode::training}).square().sum().backward();
    for (const Entry& entry : store.entries()) {
      if (entry.role != Role::weight) continue;
      EXPECT_TRUE(lies_at(entry.tensor.grad(), store.gradients(), entry)) << entry.name;
      EXPECT_TRUE(entry.tensor.grad().ne(0).any().item<bool>()) << entry.name;
    }
  }
}

TEST(Gradients, AccumulateInPlaceFromOneBackwardPassToTheNext) {
  const auto model = resnet20();
  const at::Tensor images = at::randn({2, 3, 8, 8});
  const Pass pass{.mode = Mode::evaluation};  // does not move the statistics
  model->forward(images, pass).sum().backward();
  const at::Tensor once = named(*model, "fc.weight").tensor.grad().clone();
  model->forward(images, pass).sum().backward();
  EXPECT_TRUE(named(*model, "fc.weight").tensor.grad().allclose(2 * once));
}

TEST(Gradients, LeaveThePaddingBetweenSlicesZero) {
  const auto model = resnet20();
  model->forward(at::randn({2, 3, 8, 8}), {.mode = Mode::training}).square().sum().backward();
  const ParameterStore& store = model->parameters();
  std::vector<bool> is_taken(store.gradients().size());
  for (const Entry& entry : store.entries()) {
    if (entry.role != Role::weight) continue;
    std::fill_n(is_taken.begin() + static_cast<std::ptrdiff_t>(entry.offset), entry.count, true);
  }
  EXPECT_NE(std::count(is_taken.begin(), is_taken.end(), false), 0);
  for (std::size_t i = 0; i < is_taken.size(); ++i) {
    if (is_taken[i]) continue;
    ASSERT_EQ(store.gradients()[i], 0.0F) << i;
  }
}

TEST(Counters, CountTheBatchesOfEveryNorm) {
  const auto model = resnet20();
  model->parameters().count_batch();
  model->parameters().count_batch();
  EXPECT_EQ(model->parameters().counters().size(), 21U);  // 19 convolutions, 2 projections
  for (const std::int64_t counter : model->parameters().counters()) EXPECT_EQ(counter, 2);
}

TEST(ParameterStore, TakesNothingMoreOnceItIsAllocated) {
  const auto model = resnet20();
  EXPECT_THROW(model->parameters().add("late", Role::weight, {1}, {}, Decay::no), Error);
}

}  // namespace
}  // namespace lockstep::model
