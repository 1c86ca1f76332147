#include "checkpoint/strided.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "support/parts.hpp"

namespace lockstep::checkpoint {
namespace {

struct Case {
  const char* what;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t memory;  ///< elements of memory
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"contiguous", DType::f32, {5, 7, 3}, {21, 3, 1}, 105},
      {"channels_last 3x3", DType::f32, {8, 5, 3, 3}, {45, 1, 15, 5}, 360},
      {"channels_last 1x1", DType::f32, {8, 5, 1, 1}, {5, 1, 5, 5}, 40},
      {"channels_last words", DType::bf16, {4, 6, 2, 3}, {36, 1, 18, 6}, 144},
      {"transposed doubles", DType::f64, {6, 4}, {1, 6}, 24},
      {"gaps between rows of bytes", DType::u8, {4, 5}, {9, 1}, 36},
      {"every other element", DType::i32, {9}, {2}, 18},
      {"scalar", DType::i64, {}, {}, 1},
      {"empty", DType::f32, {0, 3}, {3, 1}, 0},
  };
  return all;
}

std::int64_t place_of(const Case& c, std::int64_t index) {
  std::int64_t place = 0;
  for (std::size_t d = c.shape.size(); d-- > 0;) {
    place += index % c.shape[d] * c.strides[d];
    index /= c.shape[d];
  }
  return place;
}

/// The slow and obvious way.
std::vector<std::byte> naive(const Case& c, const std::vector<std::byte>& memory,
                             std::int64_t count) {
  const std::size_t size = size_of(c.dtype);
  std::vector<std::byte> image;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::byte* element = memory.data() + static_cast<std::size_t>(place_of(c, i)) * size;
    image.insert(image.end(), element, element + size);
  }
  return image;
}

std::vector<std::byte> numbered(std::size_t bytes) {
  std::vector<std::byte> memory(bytes);
  for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  return memory;
}

class StridedTest : public testing::TestWithParam<Case> {};

TEST_P(StridedTest, PackGivesRowMajorOrderForEveryRangeOfBytes) {
  const Case& c = GetParam();
  std::vector<std::byte> memory = numbered(static_cast<std::size_t>(c.memory) * size_of(c.dtype));
  const TensorView view{"t", c.dtype, c.shape, c.strides, memory.data(), Spread::replicated};
  const std::vector<std::byte> image = naive(c, memory, view.count());
  for (std::size_t first = 0; first <= image.size(); first += 5) {
    for (std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{50}, image.size()}) {
      length = std::min(length, image.size() - first);
      std::vector<std::byte> out(length);
      pack(view, first, out);
      EXPECT_TRUE(
          std::equal(out.begin(), out.end(), image.begin() + static_cast<std::ptrdiff_t>(first)))
          << c.what << " bytes " << first << " + " << length;
    }
  }
}

TEST_P(StridedTest, UnpackInAnyPiecesRestoresTheMemoryAndTouchesNothingElse) {
  const Case& c = GetParam();
  std::vector<std::byte> memory = numbered(static_cast<std::size_t>(c.memory) * size_of(c.dtype));
  TensorView view{"t", c.dtype, c.shape, c.strides, memory.data(), Spread::replicated};
  const std::vector<std::byte> image = naive(c, memory, view.count());
  std::vector<std::byte> expected(memory.size(), std::byte{0xEE});  // gaps stay as they were
  for (std::int64_t i = 0; i < view.count(); ++i) {
    const std::size_t size = size_of(c.dtype);
    std::memcpy(expected.data() + static_cast<std::size_t>(place_of(c, i)) * size,
                image.data() + static_cast<std::size_t>(i) * size, size);
  }
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{3}, std::size_t{11}, std::size_t{100000}}) {
    std::vector<std::byte> restored(memory.size(), std::byte{0xEE});
    view.data = restored.data();
    for (std::size_t first = 0; first < image.size(); first += piece) {
      unpack(view, first, std::span(image).subspan(first, std::min(piece, image.size() - first)));
    }
    EXPECT_EQ(restored, expected) << c.what << " pieces of " << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, StridedTest, testing::ValuesIn(cases()));

}  // namespace
}  // namespace lockstep::checkpoint
