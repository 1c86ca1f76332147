#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep {

/// Element types that cross module borders. bf16 and f16 are carried as 16-bit words.
enum class DType : std::uint8_t { u8, i32, i64, f16, bf16, f32, f64 };

[[nodiscard]] constexpr std::size_t size_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::u8:
      return 1;
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::i32:
    case DType::f32:
      return 4;
    case DType::i64:
    case DType::f64:
      return 8;
  }
  return 0;
}

/// "u8", "i32", "i64", "f16", "bf16", "f32", "f64": as they stand in files.
[[nodiscard]] std::string_view name(DType dtype) noexcept;
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view text) noexcept;

template <typename T>
inline constexpr DType kDTypeOf = [] {
  static_assert(sizeof(T) == 0, "no DType for this element type");
  return DType::u8;
}();
template <>
inline constexpr DType kDTypeOf<std::uint8_t> = DType::u8;
template <>
inline constexpr DType kDTypeOf<std::byte> = DType::u8;
template <>
inline constexpr DType kDTypeOf<std::int32_t> = DType::i32;
template <>
inline constexpr DType kDTypeOf<std::int64_t> = DType::i64;
template <>
inline constexpr DType kDTypeOf<float> = DType::f32;
template <>
inline constexpr DType kDTypeOf<double> = DType::f64;

}  // namespace lockstep
