#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/declaration.hpp"
#include "config/node.hpp"
#include "config/scalar.hpp"

/// One Codec a type of target: its name, how it is read from a node and written as YAML, and
/// whether it keeps the limits of its declaration.
namespace lockstep::config {

/// What a node is, for "expected ..., got ...".
[[nodiscard]] inline std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a section";
    case Node::Kind::scalar:
      break;
  }
  return fmt::format("{}'{}'", node.style == Node::Style::quoted ? "the text " : "", node.text);
}

template <typename T>
[[nodiscard]] Parsed<T> read_word(const Node& node, std::string_view wanted,
                                  Parsed<T> (*convert)(std::string_view)) {
  if (node.kind != Node::Kind::scalar) {
    return {std::nullopt, fmt::format("expected {}, got {}", wanted, describe(node))};
  }
  if (node.style == Node::Style::quoted) {
    return {std::nullopt,
            fmt::format("expected {}, got {}; write it without quotes", wanted, describe(node))};
  }
  return convert(node.text);
}

[[nodiscard]] std::optional<std::string> broken_limit(const Declaration& declaration, double value,
                                                      std::string_view shown);
[[nodiscard]] std::optional<std::string> broken_choice(const Declaration& declaration,
                                                       const std::string& value);

template <typename T>
struct Codec;

template <>
struct Codec<bool> {
  static constexpr auto kKind = Declaration::Kind::other;
  static constexpr std::string_view kType = "boolean";
  static constexpr std::string_view kPlural = "booleans";
  static Parsed<bool> read(const Node& node) { return read_word(node, "a boolean", &to_boolean); }
  static std::string write(bool value) { return value ? "true" : "false"; }
  static std::optional<std::string> check(const Declaration&, bool) { return std::nullopt; }
};

template <>
struct Codec<std::int64_t> {
  static constexpr auto kKind = Declaration::Kind::numeric;
  static constexpr std::string_view kType = "integer";
  static constexpr std::string_view kPlural = "integers";
  static Parsed<std::int64_t> read(const Node& node) {
    return read_word(node, "an integer", &to_integer);
  }
  static std::string write(std::int64_t value) { return fmt::format("{}", value); }
  static std::optional<std::string> check(const Declaration& declaration, std::int64_t value) {
    return broken_limit(declaration, static_cast<double>(value), write(value));
  }
};

template <>
struct Codec<double> {
  static constexpr auto kKind = Declaration::Kind::numeric;
  static constexpr std::string_view kType = "number";
  static constexpr std::string_view kPlural = "numbers";
  static Parsed<double> read(const Node& node) { return read_word(node, "a number", &to_number); }
  static std::string write(double value) { return number_text(value); }
  static std::optional<std::string> check(const Declaration& declaration, double value) {
    return broken_limit(declaration, value, write(value));
  }
};

template <>
struct Codec<std::string> {
  static constexpr auto kKind = Declaration::Kind::textual;
  static constexpr std::string_view kType = "text";
  static constexpr std::string_view kPlural = "texts";
  static Parsed<std::string> read(const Node& node) {
    if (node.kind == Node::Kind::scalar) return {node.text, ""};
    return {
        std::nullopt,
        fmt::format("expected a text, got {}{}", describe(node),
                    node.kind == Node::Kind::null ? "; quote it if it is meant as a word" : "")};
  }
  static std::string write(const std::string& value) { return as_yaml(value); }
  static std::optional<std::string> check(const Declaration& declaration,
                                          const std::string& value) {
    return broken_choice(declaration, value);
  }
};

template <>
struct Codec<std::filesystem::path> {
  static constexpr auto kKind = Declaration::Kind::textual;
  static constexpr std::string_view kType = "path";
  static constexpr std::string_view kPlural = "paths";
  static Parsed<std::filesystem::path> read(const Node& node) {
    Parsed<std::string> text = Codec<std::string>::read(node);
    if (text.value) return {std::filesystem::path(*text.value), ""};
    return {std::nullopt, text.error};
  }
  static std::string write(const std::filesystem::path& value) { return as_yaml(value.string()); }
  static std::optional<std::string> check(const Declaration& declaration,
                                          const std::filesystem::path& value) {
    return broken_choice(declaration, value.string());
  }
};

template <typename T>
struct Codec<std::optional<T>> {
  static constexpr auto kKind = Codec<T>::kKind;
  static inline const std::string kType = fmt::format("{} | auto", Codec<T>::kType);
  static Parsed<std::optional<T>> read(const Node& node) {
    if (node.kind == Node::Kind::scalar && node.text == "auto") return {std::optional<T>(), ""};
    Parsed<T> inner = Codec<T>::read(node);
    if (inner.value) return {std::optional<std::optional<T>>(std::in_place, inner.value), ""};
    return {std::nullopt, inner.error + " (or auto)"};
  }
  static std::string write(const std::optional<T>& value) {
    return value ? Codec<T>::write(*value) : "auto";
  }
  static std::optional<std::string> check(const Declaration& declaration,
                                          const std::optional<T>& value) {
    return value ? Codec<T>::check(declaration, *value) : std::nullopt;
  }
};

template <typename T>
struct Codec<std::vector<T>> {
  static constexpr auto kKind = Codec<T>::kKind;
  static inline const std::string kType = fmt::format("list of {}", Codec<T>::kPlural);
  static Parsed<std::vector<T>> read(const Node& node) {
    if (node.kind != Node::Kind::list) {
      return {std::nullopt,
              fmt::format("expected a {} such as [a, b], got {}", kType, describe(node))};
    }
    std::vector<T> values;
    for (const Node& item : node.items) {
      Parsed<T> value = Codec<T>::read(item);
      if (!value.value)
        return {std::nullopt, fmt::format("item {}: {}", values.size() + 1, value.error)};
      values.push_back(std::move(*value.value));
    }
    return {std::move(values), ""};
  }
  static std::string write(const std::vector<T>& values) {
    std::string text;
    for (const T& value : values) text += (text.empty() ? "" : ", ") + Codec<T>::write(value);
    return "[" + text + "]";
  }
  static std::optional<std::string> check(const Declaration& declaration,
                                          const std::vector<T>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (auto broken = Codec<T>::check(declaration, values[i]))
        return fmt::format("item {} {}", i + 1, *broken);
    }
    return std::nullopt;
  }
};

}  // namespace lockstep::config
