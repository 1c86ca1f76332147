#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "job/exit_code.hpp"

namespace lockstep::job {

/// Why an attempt ended, for the supervisor and for people; `attempts/0001/outcome.json`.
struct Outcome {
  ExitCode code = ExitCode::done;
  std::string reason;     ///< one sentence
  std::int64_t step = 0;  ///< the last finished step
  std::string culprit;    ///< "rank 3 on node-b", or "" if nobody is
};

/// The first writer wins: of several failing ranks one outcome stays, whole. False if there was one
/// already.
bool write_outcome(const std::filesystem::path& file, const Outcome& outcome);
[[nodiscard]] std::optional<Outcome> read_outcome(const std::filesystem::path& file);

}  // namespace lockstep::job
