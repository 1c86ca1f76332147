#pragma once

#include <string_view>

#include "core/error.hpp"

namespace lockstep::job {

/// How programs of lockstep end; the table stands in README.md, and a test compares the two. From
/// sysexits.h where a code of that meaning exists there.
enum class ExitCode : int {
  done = 0,
  usage = 64,
  data = 65,
  environment = 69,
  internal = 70,
  io = 74,
  stopped = 75,  ///< stopped early with a committed checkpoint: start it again
  diverged = 76,
  hang = 77,
};

[[nodiscard]] ExitCode exit_code(ErrorKind kind) noexcept;
[[nodiscard]] std::string_view meaning(ExitCode code) noexcept;

}  // namespace lockstep::job
