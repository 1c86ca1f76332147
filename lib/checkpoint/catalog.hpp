#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::checkpoint {

/// "step-000001200"
[[nodiscard]] std::string step_name(std::int64_t step);
/// The number in a name that step_name() makes, and in no other.
[[nodiscard]] std::optional<std::int64_t> parse_step_name(std::string_view name);

/// The names in a run directory, as found when it is made. Nothing is opened: what a name is worth,
/// its MANIFEST says. Only names of our own patterns are seen; "step-12.bak" or "best" are the
/// user's.
class Catalog {
 public:
  /// A folder that is not there is empty; one that cannot be read is an error.
  explicit Catalog(const std::filesystem::path& root);

  /// Folders with the name of a committed step, the highest step first (9900 before 1000).
  std::vector<std::filesystem::path> steps;
  /// "step-NNN.tmp-TOKEN": a save that did not commit.
  std::vector<std::filesystem::path> temporary;
  /// "step-NNN.bad-TOKEN": had a step's name, did not verify, and was in the way of that step's
  /// save.
  std::vector<std::filesystem::path> moved_aside;
  /// ".trash-step-NNN-TOKEN": a removal that did not end.
  std::vector<std::filesystem::path> trash;
};

}  // namespace lockstep::checkpoint
