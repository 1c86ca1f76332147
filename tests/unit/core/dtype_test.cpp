#include "core/dtype.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/buffer_view.hpp"

namespace lockstep {
namespace {

constexpr std::array kAll = {DType::u8,   DType::i32, DType::i64, DType::f16,
                             DType::bf16, DType::f32, DType::f64};

TEST(DType, NamesReadBack) {
  for (const DType dtype : kAll) EXPECT_EQ(parse_dtype(name(dtype)), dtype) << name(dtype);
}

TEST(DType, OtherTextsAreNoType) {
  for (const char* text : {"", "f", "F32", "f32 ", "float", "unknown"})
    EXPECT_EQ(parse_dtype(text), std::nullopt);
}

TEST(DType, SizesAreThoseOfTheElements) {
  EXPECT_EQ(size_of(DType::u8), 1U);
  EXPECT_EQ(size_of(DType::f16), 2U);
  EXPECT_EQ(size_of(DType::bf16), 2U);
  EXPECT_EQ(size_of(kDTypeOf<std::int32_t>), sizeof(std::int32_t));
  EXPECT_EQ(size_of(kDTypeOf<std::int64_t>), sizeof(std::int64_t));
  EXPECT_EQ(size_of(kDTypeOf<float>), sizeof(float));
  EXPECT_EQ(size_of(kDTypeOf<double>), sizeof(double));
}

TEST(BufferView, SlicesByElements) {
  std::array<float, 8> values{};
  const BufferView view = view_of(std::span<float>(values));
  EXPECT_EQ(view.size_bytes(), sizeof values);
  const BufferView part = view.slice(2, 3);
  EXPECT_EQ(part.data, &values[2]);
  EXPECT_EQ(part.count, 3U);
  EXPECT_EQ(part.size_bytes(), 3 * sizeof(float));
  EXPECT_EQ(part.dtype, DType::f32);
}

}  // namespace
}  // namespace lockstep
