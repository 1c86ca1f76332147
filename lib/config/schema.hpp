#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// YAML to typed settings. Each module declares its keys once, with a default, limits and a
/// sentence; that one declaration reads the file, rejects what is wrong, prints the result and
/// makes the key table.
namespace lockstep::config {

/// One thing that is wrong, and where: "config.yaml:12" or "--set train.steps=x".
struct Problem {
  std::string where;
  std::string message;
};

struct Declaration;

/// One declared key. What the builder functions add is checked when a value is read.
class Key {
 public:
  Key& at_least(double limit);
  Key& at_most(double limit);
  Key& above(double limit);
  Key& below(double limit);
  /// A string that must be one of these.
  Key& one_of(std::vector<std::string> choices);
  /// Must be given in the file.
  Key& required();
  /// May differ when a run is resumed; all others are fixed once a run has begun.
  Key& may_change();

 private:
  friend class Schema;
  explicit Key(Declaration& declaration) : declaration_(&declaration) {}
  Declaration* declaration_;
};

/// All keys of a program, in the order of their declaration. Targets outlive the schema and hold
/// the defaults when they are declared.
class Schema {
 public:
  Schema();
  ~Schema();
  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;

  /// `path` is "section.key" or "section.sub.key"; `meaning` is one sentence with the unit.
  Key add(std::string path, bool& target, std::string meaning);
  Key add(std::string path, std::int64_t& target, std::string meaning);
  Key add(std::string path, double& target, std::string meaning);
  Key add(std::string path, std::string& target, std::string meaning);
  Key add(std::string path, std::filesystem::path& target, std::string meaning);
  /// Written "auto" when empty.
  Key add(std::string path, std::optional<std::int64_t>& target, std::string meaning);
  Key add(std::string path, std::optional<double>& target, std::string meaning);
  Key add(std::string path, std::vector<std::string>& target, std::string meaning);
  Key add(std::string path, std::vector<double>& target, std::string meaning);
  Key add(std::string path, std::vector<std::int64_t>& target, std::string meaning);

  /// A choice with a type of its own: add_choice("train.precision", precision, {{"fp32",
  /// Precision::fp32}, ...}, "...").
  template <typename Enum>
  Key add_choice(std::string path, Enum& target, std::vector<std::pair<std::string, Enum>> values,
                 std::string meaning);

  /// Reads `file`, then the overrides ("train.steps=10"), into the targets. Everything that is
  /// wrong at once: unknown keys with the nearest known one, duplicates with both lines, wrong
  /// types, broken limits, syntax.
  [[nodiscard]] std::vector<Problem> read(const std::filesystem::path& file,
                                          const std::vector<std::string>& overrides);
  /// The same from text; `name` stands for the file in messages.
  [[nodiscard]] std::vector<Problem> read_text(std::string_view text, const std::string& name,
                                               const std::vector<std::string>& overrides);

  /// Where a key got its value, for problems that a module finds itself: "config.yaml:12", "--set
  /// ...", or "config.yaml" for a default.
  [[nodiscard]] std::string where(std::string_view path) const;
  [[nodiscard]] bool is_given(std::string_view path) const;

  /// The resolved configuration as YAML, every key; reading it again gives the same settings.
  [[nodiscard]] std::string print() const;
  /// Markdown: | key | type | default | meaning |. The README's table is compared with it.
  [[nodiscard]] std::string table() const;
  /// Names of fixed keys (those not may_change) whose values differ from `stored`, a text that
  /// print() made, each as "model.name: resnet18 -> resnet50".
  [[nodiscard]] std::vector<std::string> fixed_differences(std::string_view stored) const;

 private:
  Key add_custom(
      std::string path, std::string type, std::string meaning,
      std::function<std::optional<std::string>(const std::string&)> set,  // an error, or nothing
      std::function<std::string()> get);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Throws one Error{usage} that lists all problems, a line each; does nothing if there is none.
void throw_if_any(const std::vector<Problem>& problems);

template <typename Enum>
Key Schema::add_choice(std::string path, Enum& target,
                       std::vector<std::pair<std::string, Enum>> values, std::string meaning) {
  std::string type;
  for (const auto& [text, value] : values) type += (type.empty() ? "" : " | ") + text;
  auto set = [values, &target, type](const std::string& text) -> std::optional<std::string> {
    for (const auto& [name, value] : values) {
      if (name == text) {
        target = value;
        return std::nullopt;
      }
    }
    return "must be one of " + type + ", not '" + text + "'";
  };
  auto get = [values, &target] {
    for (const auto& [name, value] : values) {
      if (value == target) return name;
    }
    return std::string();
  };
  return add_custom(std::move(path), std::move(type), std::move(meaning), std::move(set),
                    std::move(get));
}

}  // namespace lockstep::config
