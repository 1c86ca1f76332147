#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "core/dtype.hpp"

namespace lockstep {

/// Borrowed, typed memory: `count` elements of `dtype` at `data`, on whatever device the owner
/// says. This is how modules hand buffers to each other without knowing LibTorch.
struct BufferView {
  void* data = nullptr;
  std::size_t count = 0;
  DType dtype = DType::u8;

  [[nodiscard]] std::size_t size_bytes() const noexcept { return count * size_of(dtype); }
  [[nodiscard]] std::byte* bytes() const noexcept { return static_cast<std::byte*>(data); }

  /// Elements [first, first + length).
  [[nodiscard]] BufferView slice(std::size_t first, std::size_t length) const noexcept {
    return {bytes() + first * size_of(dtype), length, dtype};
  }
};

template <typename T>
requires(!std::is_const_v<T>) [[nodiscard]] BufferView view_of(std::span<T> elements) noexcept {
  return {elements.data(), elements.size(), kDTypeOf<T>};
}

}  // namespace lockstep
