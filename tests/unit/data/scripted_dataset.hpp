#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/deadline.hpp"
#include "data/dataset.hpp"

namespace lockstep::test {

/// Sample id: every pixel is the low byte of id, the label is id modulo 5. What else happens in
/// read(), the test says.
class ScriptedDataset final : public data::Dataset {
 public:
  explicit ScriptedDataset(
      std::int64_t size, std::function<void(std::int64_t)> on_read = [](std::int64_t) {},
      data::ImageShape shape = {2, 2, 1})
      : size_(size), on_read_(std::move(on_read)), shape_(shape) {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] data::ImageShape shape() const override { return shape_; }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }
  [[nodiscard]] std::string fingerprint() const override { return "scripted"; }
  [[nodiscard]] std::int64_t read(std::int64_t id, std::span<std::byte> pixels) const override {
    on_read_(id);
    std::fill(pixels.begin(), pixels.end(), static_cast<std::byte>(id));
    ++reads_;
    return id % 5;
  }
  [[nodiscard]] std::int64_t reads() const { return reads_; }

 private:
  std::int64_t size_;
  std::function<void(std::int64_t)> on_read_;
  data::ImageShape shape_;
  std::vector<std::string> classes_ = {"a", "b", "c", "d", "e"};
  mutable std::atomic<std::int64_t> reads_ = 0;
};

/// Holds threads until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return is_open_; });
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

/// Waits, within reason, until something is so.
inline bool comes_true(const std::function<bool()>& condition) {
  const Deadline deadline = Deadline::after(std::chrono::seconds(10));
  while (!condition()) {
    if (deadline.passed()) return false;
    std::this_thread::yield();
  }
  return true;
}

/// The batch holds these samples of a ScriptedDataset, whole and in order.
inline void expect_scripted(const data::Batch& batch, const std::vector<std::int64_t>& expected) {
  ASSERT_EQ(batch.ids, expected);
  ASSERT_EQ(batch.count, static_cast<std::int64_t>(expected.size()));
  ASSERT_EQ(batch.pixels.size(), expected.size() * batch.shape.size_bytes());
  ASSERT_EQ(batch.labels.size(), expected.size());
  ASSERT_EQ(batch.other_labels, batch.labels);
  ASSERT_EQ(batch.weights, std::vector<float>(expected.size(), 1.0F));
  for (std::size_t row = 0; row < expected.size(); ++row) {
    ASSERT_EQ(batch.labels[row], expected[row] % 5);
    for (std::size_t i = 0; i < batch.shape.size_bytes(); ++i) {
      ASSERT_EQ(batch.pixels[row * batch.shape.size_bytes() + i],
                static_cast<std::byte>(expected[row]));
    }
  }
}

}  // namespace lockstep::test
