#include "config/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace lockstep::config {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr int kLargestExponent = 9999;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// yes, Yes or YES, but not yEs: the list of YAML 1.1.
bool is_uniform(std::string_view text) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const std::string_view rest = text.substr(1);
  if (std::none_of(rest.begin(), rest.end(), is_upper)) return true;
  return std::all_of(text.begin(), text.end(), is_upper);
}

// [sign] whole [. fraction] [e exponent]
struct Decimal {
  bool is_negative = false;
  std::string_view whole;
  std::string_view fraction;
  int exponent = 0;
};

std::string_view take_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

bool take_sign(std::string_view& text) {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  const bool is_minus = text.front() == '-';
  text.remove_prefix(1);
  return is_minus;
}

bool take_exponent(std::string_view& text, int& exponent) {
  if (text.empty() || (text.front() != 'e' && text.front() != 'E')) return true;
  text.remove_prefix(1);
  const bool is_negative = take_sign(text);
  const std::string_view digits = take_digits(text);
  if (digits.empty()) return false;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (result.ec != std::errc() || exponent > kLargestExponent) exponent = kLargestExponent;
  if (is_negative) exponent = -exponent;
  return true;
}

std::optional<Decimal> scan(std::string_view text) {
  Decimal decimal;
  decimal.is_negative = take_sign(text);
  decimal.whole = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimal.fraction = take_digits(text);
  }
  if (decimal.whole.empty() && decimal.fraction.empty()) return std::nullopt;
  if (!take_exponent(text, decimal.exponent) || !text.empty()) return std::nullopt;
  return decimal;
}

bool has_leading_zero(const Decimal& decimal) {
  return decimal.whole.size() > 1 && decimal.whole.front() == '0';
}

std::string leading_zero_error(std::string_view wanted, std::string_view text,
                               const Decimal& decimal) {
  const std::size_t first =
      std::min(decimal.whole.find_first_not_of('0'), decimal.whole.size() - 1);
  return fmt::format(
      "expected {}, got {} with a leading zero, which some readers take for octal; write {}{}{}",
      wanted, text, decimal.is_negative ? "-" : "", decimal.whole.substr(first),
      decimal.fraction.empty() ? "" : fmt::format(".{}", decimal.fraction));
}

std::string not_a_number(std::string_view wanted, std::string_view text) {
  const std::string word = lower(text);
  std::string_view why;
  if (word.find("inf") != std::string::npos || word.find("nan") != std::string::npos)
    why = "; it must be finite";
  if (word.starts_with("0x") || word.starts_with("0o") || word.starts_with("0b"))
    why = "; only decimal digits are read";
  if (word.find('_') != std::string::npos && scan(word.substr(0, word.find('_'))))
    why = "; write it without _";
  return fmt::format("expected {}, got '{}'{}", wanted, text, why);
}

// The digits of an integer without point and exponent, or nothing if it is none or longer than any
// int64.
std::optional<std::string> integral_digits(const Decimal& decimal) {
  std::string digits = fmt::format("{}{}", decimal.whole, decimal.fraction);
  long exponent = decimal.exponent - static_cast<long>(decimal.fraction.size());
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return "0";
  for (; exponent < 0; ++exponent) {
    if (digits.back() != '0') return std::nullopt;
    digits.pop_back();
  }
  constexpr std::size_t kLongest = 19;
  if (digits.size() + static_cast<std::size_t>(exponent) > kLongest)
    return std::string(kLongest + 1, '9');
  return digits.append(static_cast<std::size_t>(exponent), '0');
}

}  // namespace

Parsed<bool> to_boolean(std::string_view text) {
  constexpr std::array<std::string_view, 3> kTrue = {"true", "yes", "on"};
  constexpr std::array<std::string_view, 3> kFalse = {"false", "no", "off"};
  if (!text.empty() && is_uniform(text)) {
    const std::string word = lower(text);
    if (std::find(kTrue.begin(), kTrue.end(), word) != kTrue.end()) return {true, ""};
    if (std::find(kFalse.begin(), kFalse.end(), word) != kFalse.end()) return {false, ""};
  }
  return {std::nullopt,
          fmt::format("expected a boolean (true, false, yes, no, on, off), got '{}'", text)};
}

Parsed<std::int64_t> to_integer(std::string_view text) {
  constexpr std::string_view kWanted = "an integer";
  const std::optional<Decimal> decimal = scan(text);
  if (!decimal) return {std::nullopt, not_a_number(kWanted, text)};
  if (has_leading_zero(*decimal))
    return {std::nullopt, leading_zero_error(kWanted, text, *decimal)};
  const std::optional<std::string> digits = integral_digits(*decimal);
  if (!digits) return {std::nullopt, fmt::format("expected {}, got {}", kWanted, text)};
  const std::string signed_digits = (decimal->is_negative ? "-" : "") + *digits;
  std::int64_t value = 0;
  const auto result =
      std::from_chars(signed_digits.data(), signed_digits.data() + signed_digits.size(), value);
  if (result.ec != std::errc()) {
    return {std::nullopt,
            fmt::format("expected {}, got {}, which does not fit 64 bits", kWanted, text)};
  }
  return {value, ""};
}

Parsed<double> to_number(std::string_view text) {
  constexpr std::string_view kWanted = "a number";
  const std::optional<Decimal> decimal = scan(text);
  if (!decimal) return {std::nullopt, not_a_number(kWanted, text)};
  if (has_leading_zero(*decimal))
    return {std::nullopt, leading_zero_error(kWanted, text, *decimal)};
  const std::string_view unsigned_text = text.substr(text.find_first_not_of("+-"));
  double value = 0;
  const auto result =
      std::from_chars(unsigned_text.data(), unsigned_text.data() + unsigned_text.size(), value);
  if (result.ec != std::errc() || !std::isfinite(value)) {
    return {std::nullopt,
            fmt::format("expected {}, got {}, which is out of a double's range", kWanted, text)};
  }
  return {decimal->is_negative ? -value : value, ""};
}

std::string number_text(double value) { return fmt::format("{}", value); }

std::string as_yaml(std::string_view text) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::array<std::string_view, 12> kReserved = {
      "y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"};
  const std::string allowed = fmt::format("{}{}_./+-", kLetters, kDigits);
  const std::string word = lower(text);
  const bool is_plain =
      !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos &&
      (kLetters.find(text.front()) != std::string_view::npos || text.front() == '/') &&
      std::find(kReserved.begin(), kReserved.end(), word) == kReserved.end();
  if (is_plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += fmt::format("\\{}", c);
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace lockstep::config
