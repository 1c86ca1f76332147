#pragma once

#include <concepts>
#include <utility>

namespace lockstep {

/// What a C library's handle needs to be owned: its type, its "no handle" value, and how it is
/// closed.
template <typename T>
concept HandleTraits = requires(typename T::value_type handle) {
  { T::null() }
  noexcept->std::convertible_to<typename T::value_type>;
  { T::close(handle) }
  noexcept;
};

/// The one owner of a C handle; the only hand-written move in the project. close() must not throw
/// and must not communicate: what can fail at the end belongs into a method that the owner calls.
template <HandleTraits Traits>
class UniqueHandle {
 public:
  using value_type = typename Traits::value_type;

  UniqueHandle() noexcept = default;
  explicit UniqueHandle(value_type handle) noexcept : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(other.release()) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    reset(other.release());
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() { reset(); }

  [[nodiscard]] value_type get() const noexcept { return handle_; }
  [[nodiscard]] value_type release() noexcept { return std::exchange(handle_, Traits::null()); }
  void reset(value_type handle = Traits::null()) noexcept {
    const value_type old = std::exchange(handle_, handle);
    if (old != Traits::null()) Traits::close(old);
  }
  explicit operator bool() const noexcept { return handle_ != Traits::null(); }

 private:
  value_type handle_ = Traits::null();
};

}  // namespace lockstep
