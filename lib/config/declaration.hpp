#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/node.hpp"

namespace lockstep::config {

enum class Bound { at_least, at_most, above, below };

struct Limit {
  Bound bound;
  double value;
};

/// How an override's text is read: as YAML, or word for word, so that a shell's quotes are enough.
enum class OverrideSyntax { yaml, verbatim };

/// All that a schema knows of one key. `set` and `read_back` take a value from a file.
struct Declaration {
  std::string path;
  std::string type;
  std::string meaning;
  std::string default_text;  ///< as YAML
  OverrideSyntax override_syntax = OverrideSyntax::yaml;
  enum class Kind { numeric, textual, other } kind = Kind::other;

  std::vector<Limit> limits;
  std::vector<std::string> choices;
  bool is_required = false;
  bool may_change = false;

  /// Puts the value into the target; or says what is wrong with it and leaves the target alone.
  std::function<std::optional<std::string>(const Node&)> set;
  /// The target's value as YAML.
  std::function<std::string()> get;
  /// The value as get() would print it, without touching the target; nothing if it is no value of
  /// this type.
  std::function<std::optional<std::string>(const Node&)> read_back;

  std::optional<std::string> given_at;
};

}  // namespace lockstep::config
