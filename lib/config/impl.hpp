#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/declaration.hpp"
#include "config/node.hpp"
#include "config/schema.hpp"

namespace lockstep::config {

struct Schema::Impl {
  std::vector<std::unique_ptr<Declaration>> declarations;  ///< in order; Key points to them
  std::map<std::string, Declaration*, std::less<>> by_path;
  std::set<std::string, std::less<>> sections;
  std::string file = "the configuration";

  Declaration& declare(std::string path, std::string meaning);
  /// Takes a value for `path`: "" if all is well, else what is wrong.
  [[nodiscard]] std::string take(std::string_view path, const Node& value,
                                 const std::string& where);
  [[nodiscard]] std::string unknown(std::string_view path) const;
  /// Takes all entries of a map, and of the sections in it.
  void take_map(const Node& map, const std::string& prefix, std::vector<Finding>& findings);
  /// False after a syntax error: what is missing cannot be told from what was not read.
  [[nodiscard]] bool take_text(std::string_view text, std::vector<Problem>& problems);
  void take_override(const std::string& text, std::vector<Problem>& problems);
  /// Required keys that neither the text nor an override gave.
  void find_missing(std::vector<Problem>& problems) const;
};

}  // namespace lockstep::config
