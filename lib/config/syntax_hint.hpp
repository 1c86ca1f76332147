#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/node.hpp"

/// What a YAML reader's error means for the person who wrote the text.
namespace lockstep::config {

/// Lines that are indented with a tab, as one finding. YAML forbids it, and readers then complain
/// about something else, or take the line for a part of the value above.
[[nodiscard]] std::optional<Finding> find_tabs(std::string_view text);

/// The reader's words, and what to do about them, judged by the character at line and column (from
/// 1).
[[nodiscard]] std::string explain_syntax(std::string_view reader_says, std::string_view text,
                                         int line, int column);

}  // namespace lockstep::config
