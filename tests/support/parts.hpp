#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/saveable.hpp"

namespace lockstep::test {

/// Row-major strides.
inline std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

/// A Saveable with memory of its own, for tests.
class Part final : public checkpoint::Saveable {
 public:
  explicit Part(std::string name, std::string text = "{}")
      : text_(std::move(text)), name_(std::move(name)) {}

  /// A tensor whose bytes are a function of `seed`, its name and their place.
  void add(const std::string& name, DType dtype, std::vector<std::int64_t> shape,
           std::uint32_t seed, checkpoint::Spread spread = checkpoint::Spread::replicated) {
    checkpoint::TensorView view{name, dtype, shape, strides_of(shape), nullptr, spread};
    memory_.emplace_back(static_cast<std::size_t>(view.count()) * size_of(dtype) + 1);
    std::uint32_t state = seed * 2654435761U + static_cast<std::uint32_t>(name.size()) + 12345U;
    for (std::byte& byte : memory_.back()) {
      state = state * 1664525U + 1013904223U;
      byte = static_cast<std::byte>(state >> 24U);
    }
    views_.push_back(std::move(view));
  }
  template <typename T>
  void add(const std::string& name, std::vector<std::int64_t> shape, const std::vector<T>& values,
           DType dtype) {
    add(name, dtype, std::move(shape), 0);
    set(name, values);
  }
  template <typename T>
  void set(const std::string& name, const std::vector<T>& values) {
    for (std::size_t i = 0; i < views_.size(); ++i) {
      if (views_[i].name != name) continue;
      const auto bytes = std::as_bytes(std::span(values));
      std::copy(bytes.begin(), bytes.end(), memory_[i].begin());
    }
  }

  void clear() {
    for (auto& memory : memory_) std::fill(memory.begin(), memory.end(), std::byte{0xAA});
    text_.clear();
  }
  [[nodiscard]] const std::vector<std::vector<std::byte>>& memory() const { return memory_; }
  [[nodiscard]] std::vector<checkpoint::TensorView>& views() { return views_; }

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] std::vector<checkpoint::TensorView> tensors() override {
    std::vector<checkpoint::TensorView> views = views_;
    for (std::size_t i = 0; i < views.size(); ++i) views[i].data = memory_[i].data();
    return views;
  }
  [[nodiscard]] std::string text() const override { return text_; }
  void after_load(std::string_view text, checkpoint::Restored how) override {
    text_ = text;
    how_ = how;
  }

  std::string text_;
  std::optional<checkpoint::Restored> how_;

 private:
  std::string name_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<checkpoint::TensorView> views_;
};

/// Shapes that break splitting by rows: scalars, empty, one row, odd rows, fewer rows than ranks,
/// five dimensions, several MiB.
inline Part odd_shapes(std::uint32_t seed) {
  Part part("model", "{\"seed\": " + std::to_string(seed) + "}");
  part.add("scalar", DType::i64, {}, seed);
  part.add("empty", DType::f32, {0, 3}, seed);
  part.add("one", DType::f64, {1}, seed);
  part.add("bytes", DType::u8, {13}, seed);
  part.add("layer1.weight", DType::f32, {67, 257}, seed);
  part.add("fc.weight", DType::f32, {1001, 513}, seed);
  part.add("two_rows", DType::f32, {2, 40000}, seed);
  part.add("one_row", DType::f32, {1, 50000}, seed);
  part.add("half", DType::bf16, {3, 5, 7}, seed);
  part.add("deep", DType::f16, {7, 3, 5, 11, 13}, seed);
  part.add("ids", DType::i32, {99999}, seed);
  part.add("wide", DType::f32, {3, 400000}, seed);
  return part;
}

}  // namespace lockstep::test
