#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "checkpoint/group.hpp"

namespace lockstep::test {

/// What the threads of one group share: a slot a rank, and a barrier that gives up.
class Meeting {
 public:
  explicit Meeting(int size) : slots_(static_cast<std::size_t>(size)) {}

  [[nodiscard]] int size() const { return static_cast<int>(slots_.size()); }

  /// Everyone brings a text, everyone sees all of them.
  std::vector<std::string> exchange(int rank, std::string text) {
    {
      const std::lock_guard lock(mutex_);
      slots_[static_cast<std::size_t>(rank)] = std::move(text);
    }
    wait();
    std::vector<std::string> all;
    {
      const std::lock_guard lock(mutex_);
      all = slots_;
    }
    wait();
    return all;
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    const std::size_t round = round_;
    if (++waiting_ == slots_.size()) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
    } else if (!changed_.wait_for(lock, std::chrono::seconds(20),
                                  [&] { return round_ != round; })) {
      throw std::runtime_error("a thread of the group did not come within 20 s");
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> slots_;
  std::size_t waiting_ = 0;
  std::size_t round_ = 0;
};

/// One thread's end of a Meeting. `before_each` is called before each collective.
class ThreadGroup final : public checkpoint::Group {
 public:
  ThreadGroup(
      Meeting& meeting, int rank, std::function<void()> before_each = [] {})
      : meeting_(meeting), rank_(rank), before_each_(std::move(before_each)) {}

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return meeting_.size(); }
  void barrier() override { (void)exchange(""); }
  [[nodiscard]] bool all(bool mine) override {
    for (const std::string& text : exchange(mine ? "1" : "0")) {
      if (text == "0") return false;
    }
    return true;
  }
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override {
    std::vector<std::string> all = exchange(std::string(mine));
    return rank_ == 0 ? all : std::vector<std::string>();
  }
  [[nodiscard]] std::string broadcast(std::string_view from_root) override {
    return exchange(std::string(from_root)).front();
  }
  void broadcast_bytes(std::vector<std::byte>& bytes, int root) override {
    const std::string_view mine(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string theirs = exchange(rank_ == root ? std::string(mine) : std::string())
                                   .at(static_cast<std::size_t>(root));
    if (theirs.size() != bytes.size())
      throw std::runtime_error("ranks broadcast different lengths");
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(theirs[i]);
  }

 private:
  std::vector<std::string> exchange(std::string text) {
    before_each_();
    return meeting_.exchange(rank_, std::move(text));
  }

  Meeting& meeting_;
  int rank_;
  std::function<void()> before_each_;
};

/// Runs `body` as each of `size` ranks, and gives what each threw ("" if nothing).
inline std::vector<std::string> run_ranks(
    int size, const std::function<void(checkpoint::Group&)>& body,
    const std::function<void()>& before_each = [] {}) {
  Meeting meeting(size);
  std::vector<std::string> thrown(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        ThreadGroup group(meeting, rank, before_each);
        try {
          body(group);
        } catch (const std::exception& error) {
          thrown[static_cast<std::size_t>(rank)] = error.what();
        }
      });
    }
  }
  return thrown;
}

}  // namespace lockstep::test
