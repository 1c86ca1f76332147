#include "data/synthetic.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <string>

#include "error_of.hpp"

namespace lockstep::data {
namespace {

using Pixels = std::string;
constexpr SyntheticOptions kOptions{.shape = {.height = 16, .width = 12, .channels = 3},
                                    .classes = 10,
                                    .train_samples = 200,
                                    .validation_samples = 50};

Pixels pixels_of(const Dataset& dataset, std::int64_t id) {
  Pixels pixels(dataset.shape().size_bytes(), '\0');
  static_cast<void>(dataset.read(id, std::as_writable_bytes(std::span(pixels))));
  return pixels;
}

std::array<double, 3> means_of(const Pixels& pixels) {
  std::array<double, 3> sums{};
  for (std::size_t i = 0; i < pixels.size(); ++i)
    sums.at(i % 3) += static_cast<unsigned char>(pixels[i]);
  for (double& sum : sums) sum /= static_cast<double>(pixels.size()) / 3;
  return sums;
}

TEST(Synthetic, HasTheAskedSizeShapeAndClasses) {
  const Datasets datasets = open_synthetic(kOptions);
  EXPECT_EQ(datasets.train->size(), 200);
  EXPECT_EQ(datasets.validation->size(), 50);
  EXPECT_EQ(datasets.train->shape(), kOptions.shape);
  EXPECT_EQ(datasets.train->classes().size(), 10U);
  EXPECT_EQ(datasets.train->classes(), datasets.validation->classes());
}

TEST(Synthetic, ASampleIsAlwaysTheSameAndLikeNoOther) {
  const Datasets datasets = open_synthetic(kOptions);
  const Datasets again = open_synthetic(kOptions);
  std::set<Pixels> seen;
  for (std::int64_t id = 0; id < 200; ++id) {
    EXPECT_EQ(pixels_of(*datasets.train, id), pixels_of(*again.train, id));
    seen.insert(pixels_of(*datasets.train, id));
  }
  for (std::int64_t id = 0; id < 50; ++id) seen.insert(pixels_of(*datasets.validation, id));
  EXPECT_EQ(seen.size(), 250U);
}

TEST(Synthetic, ClassesAreBalancedAndCanBeLearned) {
  const Datasets datasets = open_synthetic(kOptions);
  std::array<std::array<double, 3>, 10> centres{};
  std::array<int, 10> counts{};
  Pixels pixels(kOptions.shape.size_bytes(), '\0');
  for (std::int64_t id = 0; id < 200; ++id) {
    const auto label = static_cast<std::size_t>(
        datasets.train->read(id, std::as_writable_bytes(std::span(pixels))));
    for (std::size_t c = 0; c < 3; ++c) centres.at(label).at(c) += means_of(pixels).at(c) / 20;
    ++counts.at(label);
  }
  for (const int count : counts) EXPECT_EQ(count, 20);
  int right = 0;
  for (std::int64_t id = 0; id < 50; ++id) {
    const auto label = static_cast<std::size_t>(
        datasets.validation->read(id, std::as_writable_bytes(std::span(pixels))));
    const std::array<double, 3> means = means_of(pixels);
    std::size_t nearest = 0;
    double least = 1e9;
    for (std::size_t k = 0; k < 10; ++k) {
      double distance = 0;
      for (std::size_t c = 0; c < 3; ++c)
        distance += std::pow(centres.at(k).at(c) - means.at(c), 2);
      if (distance < least) {
        least = distance;
        nearest = k;
      }
    }
    right += nearest == label ? 1 : 0;
  }
  EXPECT_EQ(right, 50);
}

TEST(Synthetic, FingerprintsTellSplitsAndShapesApart) {
  SyntheticOptions other = kOptions;
  other.shape.width = 13;
  std::set<std::string> prints;
  for (const SyntheticOptions& options : {kOptions, other}) {
    const Datasets datasets = open_synthetic(options);
    EXPECT_EQ(datasets.train->fingerprint(), open_synthetic(options).train->fingerprint());
    prints.insert(datasets.train->fingerprint());
    prints.insert(datasets.validation->fingerprint());
  }
  EXPECT_EQ(prints.size(), 4U);
}

TEST(Synthetic, RefusesIdsAndBuffersThatDoNotFit) {
  const Datasets datasets = open_synthetic(kOptions);
  Pixels pixels(kOptions.shape.size_bytes(), '\0');
  Pixels small(kOptions.shape.size_bytes() - 1, '\0');
  test::error_of(ErrorKind::internal, [&] {
    static_cast<void>(datasets.train->read(200, std::as_writable_bytes(std::span(pixels))));
  });
  test::error_of(ErrorKind::internal, [&] {
    static_cast<void>(datasets.train->read(-1, std::as_writable_bytes(std::span(pixels))));
  });
  test::error_of(ErrorKind::internal, [&] {
    static_cast<void>(datasets.train->read(0, std::as_writable_bytes(std::span(small))));
  });
}

}  // namespace
}  // namespace lockstep::data
