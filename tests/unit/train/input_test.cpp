#include "train/input.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace lockstep::train {
namespace {

// Pixel values are their place in memory: every offset error shows.
data::Batch batch() {
  data::Batch batch;
  batch.shape = {.height = 2, .width = 3, .channels = 3};
  batch.count = 4;
  for (std::size_t i = 0; i < 4 * batch.shape.size_bytes(); ++i)
    batch.pixels.push_back(static_cast<std::byte>(i));
  batch.labels = {5, 6, 7, 8};
  batch.other_labels = {5, 6, 7, 8};
  batch.weights = {1, 1, 1, 1};
  return batch;
}

TEST(Input, NormalisesEachChannelByItsOwnMeanAndDeviation) {
  const std::vector<double> mean = {0.1, 0.4, 0.9};
  const std::vector<double> deviation = {0.2, 0.5, 1.5};
  const data::Batch b = batch();
  const at::Tensor images = Input(mean, deviation, 3, -1).images(b, 0, 4);
  ASSERT_EQ(images.sizes(), (at::IntArrayRef{4, 3, 2, 3}));
  for (std::int64_t n = 0; n < 4; ++n) {
    for (std::int64_t c = 0; c < 3; ++c) {
      for (std::int64_t y = 0; y < 2; ++y) {
        for (std::int64_t x = 0; x < 3; ++x) {
          const auto pixel = static_cast<double>(((n * 2 + y) * 3 + x) * 3 + c);
          const auto channel = static_cast<std::size_t>(c);
          EXPECT_NEAR(images[n][c][y][x].item<double>(),
                      (pixel / 255 - mean[channel]) / deviation[channel], 1e-6);
        }
      }
    }
  }
}

TEST(Input, HasTheChannelsInnermostInMemory) {
  const data::Batch b = batch();
  EXPECT_TRUE(Input({}, {}, 3, -1).images(b, 0, 4).is_contiguous(at::MemoryFormat::ChannelsLast));
}

TEST(Input, TakesOneHalfAndOneQuarterWhereNothingIsGiven) {
  data::Batch b = batch();
  b.pixels[0] = std::byte{255};
  b.pixels[1] = std::byte{0};
  const at::Tensor images = Input({}, {}, 3, -1).images(b, 0, 1);
  EXPECT_NEAR(images[0][0][0][0].item<double>(), 2, 1e-6);
  EXPECT_NEAR(images[0][1][0][0].item<double>(), -2, 1e-6);
}

TEST(Input, CutsMicroBatchesOutOfABatch) {
  const data::Batch b = batch();
  const Input input({}, {}, 3, -1);
  EXPECT_TRUE(input.images(b, 1, 2).equal(input.images(b, 0, 4).narrow(0, 1, 2)));
  const Labels labels = input.labels(b, 1, 2);
  EXPECT_EQ(labels.first[0].item<std::int64_t>(), 6);
  EXPECT_EQ(labels.first.numel(), 2);
}

TEST(Input, BringsSecondLabelsOnlyWhereAWeightAsksForThem) {
  data::Batch b = batch();
  const Input input({}, {}, 3, -1);
  EXPECT_FALSE(input.labels(b, 0, 4).weight.defined());
  b.weights[2] = 0.25F;
  b.other_labels[2] = 9;
  const Labels mixed = input.labels(b, 0, 4);
  ASSERT_TRUE(mixed.weight.defined());
  EXPECT_EQ(mixed.weight[2].item<float>(), 0.25F);
  EXPECT_EQ(mixed.other[2].item<std::int64_t>(), 9);
  EXPECT_FALSE(input.labels(b, 0, 2).weight.defined()) << "no weight in this part";
}

TEST(Input, RefusesStatisticsForAnotherNumberOfChannels) {
  EXPECT_THROW(Input({0.5}, {}, 3, -1), Error);
  EXPECT_THROW(Input({}, {0.2, 0.2}, 3, -1), Error);
  EXPECT_THROW(Input({0.5, 0.5, 0.5}, {0.2, 0.2, 0.2}, 1, -1), Error);
}

}  // namespace
}  // namespace lockstep::train
