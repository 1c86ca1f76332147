#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Words of a configuration as values, and back. Stricter than YAML readers are among themselves:
/// what two of them read differently (0010, 0x10, 1_000, .inf) is refused.
namespace lockstep::config {

/// A value, or what is wrong with the text.
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

/// true false yes no on off, in lower case, Capitalized or UPPER CASE.
[[nodiscard]] Parsed<bool> to_boolean(std::string_view text);
/// Decimal digits with a sign; a form such as 1e5 or 2.5e3 where it names an integer exactly.
[[nodiscard]] Parsed<std::int64_t> to_integer(std::string_view text);
/// Decimal and finite.
[[nodiscard]] Parsed<double> to_number(std::string_view text);

/// The shortest text that reads back to the same bits.
[[nodiscard]] std::string number_text(double value);
/// The text as a YAML scalar that every YAML reader takes for this string: quoted where it might be
/// read as a boolean, a number, null or an indicator.
[[nodiscard]] std::string as_yaml(std::string_view text);

}  // namespace lockstep::config
