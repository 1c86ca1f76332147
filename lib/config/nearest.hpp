#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lockstep::config {

/// "did you mean optimizer.learning_rate?" for a path that is not known: the same word in another
/// section, with hyphens or capitals, or a slip of the fingers; "" if nothing is near.
[[nodiscard]] std::string suggestion(std::string_view unknown, std::span<const std::string> known);

/// Insertions, deletions, replacements, and swaps of neighbours that turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace lockstep::config
