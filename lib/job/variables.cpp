#include "job/variables.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <system_error>

#include "core/error.hpp"

namespace lockstep::job {

std::optional<std::string> Variables::text(std::string_view name) const {
  const auto found = environment_.find(name);
  if (found == environment_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::optional<std::int64_t> Variables::number(std::string_view name) const {
  const std::optional<std::string> word = text(name);
  if (!word) return std::nullopt;
  std::int64_t value = 0;
  const auto result = std::from_chars(word->data(), word->data() + word->size(), value);
  if (result.ec != std::errc() || result.ptr != word->data() + word->size() || value < 0) {
    throw Error(ErrorKind::environment,
                fmt::format("{}='{}' is no whole number from 0 on", name, *word));
  }
  return value;
}

std::optional<int> Variables::count(std::string_view name) const {
  const std::optional<std::int64_t> value = number(name);
  if (!value) return std::nullopt;
  if (*value > std::numeric_limits<int>::max()) {
    throw Error(ErrorKind::environment, fmt::format("{}={} is too large", name, *value));
  }
  return static_cast<int>(*value);
}

std::optional<Derived<std::string>> Variables::first_text(
    std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (auto value = text(name)) return Derived<std::string>{std::move(*value), std::string(name)};
  }
  return std::nullopt;
}

std::optional<Derived<int>> Variables::first_count(
    std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (const auto value = count(name)) return Derived<int>{*value, std::string(name)};
  }
  return std::nullopt;
}

Derived<int> Variables::need_count(std::string_view name, std::string_view why) const {
  if (const auto value = count(name)) return {*value, std::string(name)};
  throw Error(ErrorKind::environment, fmt::format("{} is not set, although {}", name, why));
}

}  // namespace lockstep::job
