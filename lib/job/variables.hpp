#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "job/placement.hpp"
#include "os/host.hpp"

namespace lockstep::job {

/// An environment as typed values, each with the name that it came from. An empty variable counts
/// as absent.
class Variables {
 public:
  explicit Variables(const os::Environment& environment) : environment_(environment) {}

  [[nodiscard]] bool has(std::string_view name) const { return text(name).has_value(); }
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  /// Throws Error{environment} if the variable is there and no whole number from 0 on.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name) const;
  [[nodiscard]] std::optional<int> count(std::string_view name) const;

  /// The first of `names` that is there.
  [[nodiscard]] std::optional<Derived<std::string>> first_text(
      std::initializer_list<std::string_view> names) const;
  [[nodiscard]] std::optional<Derived<int>> first_count(
      std::initializer_list<std::string_view> names) const;
  /// The same; throws Error{environment} if none is there, with the names and why they are needed.
  [[nodiscard]] Derived<int> need_count(std::string_view name, std::string_view why) const;

 private:
  const os::Environment& environment_;
};

}  // namespace lockstep::job
