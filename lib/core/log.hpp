#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

/// Lines for people, on stderr, each written with one call so that lines of several ranks do not
/// mix. Programs read metrics.jsonl instead. Like stderr itself, the log belongs to the process:
/// its identity is set once, when the rank is known.
namespace lockstep::log {

/// Who speaks: before this is called a line carries no rank, and everyone speaks.
void set_identity(int rank, int size, std::string host);

/// One line an event, from rank 0 alone.
void info(std::string_view line);
/// The same, marked as a warning: the run goes on, but somebody should look.
void warn(std::string_view line);
/// From every rank that calls it, with rank and host in front.
void all(std::string_view line);
/// From every rank that calls it: why the program ends.
void error(std::string_view line);

template <typename First, typename... Rest>
void info(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  info(std::string_view(
      fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)));
}
template <typename First, typename... Rest>
void warn(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  warn(std::string_view(
      fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)));
}
template <typename First, typename... Rest>
void all(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  all(std::string_view(
      fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)));
}
template <typename First, typename... Rest>
void error(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest) {
  error(std::string_view(
      fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)));
}

/// A progress line on a terminal is rewritten in place; the next log line starts below it. Rank 0
/// only.
void progress(std::string_view line);
[[nodiscard]] bool is_terminal() noexcept;

}  // namespace lockstep::log
