#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/node.hpp"

namespace lockstep::config {

struct Document {
  std::optional<Node> root;  ///< absent after a syntax error; a null node for an empty text
  std::vector<Finding> findings;
};

/// Reads one YAML document. Aliases are resolved to copies; merge keys and duplicates are still in
/// the tree.
[[nodiscard]] Document parse(std::string_view text);

}  // namespace lockstep::config
