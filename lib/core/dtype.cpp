#include "core/dtype.hpp"

#include <array>

namespace lockstep {
namespace {

constexpr std::array kAll = {DType::u8,   DType::i32, DType::i64, DType::f16,
                             DType::bf16, DType::f32, DType::f64};

}  // namespace

std::string_view name(DType dtype) noexcept {
  switch (dtype) {
    case DType::u8:
      return "u8";
    case DType::i32:
      return "i32";
    case DType::i64:
      return "i64";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
  }
  return "unknown";
}

std::optional<DType> parse_dtype(std::string_view text) noexcept {
  for (const DType dtype : kAll) {
    if (name(dtype) == text) return dtype;
  }
  return std::nullopt;
}

}  // namespace lockstep
