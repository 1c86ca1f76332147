#include "job/exit_code.hpp"

namespace lockstep::job {

ExitCode exit_code(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::usage:
      return ExitCode::usage;
    case ErrorKind::data:
      return ExitCode::data;
    case ErrorKind::environment:
      return ExitCode::environment;
    case ErrorKind::peer:
      return ExitCode::environment;
    case ErrorKind::io:
      return ExitCode::io;
    case ErrorKind::diverged:
      return ExitCode::diverged;
    case ErrorKind::hang:
      return ExitCode::hang;
    case ErrorKind::internal:
      return ExitCode::internal;
  }
  return ExitCode::internal;
}

std::string_view meaning(ExitCode code) noexcept {
  switch (code) {
    case ExitCode::done:
      return "finished, DONE written";
    case ExitCode::usage:
      return "usage or configuration";
    case ExitCode::data:
      return "input data unusable";
    case ExitCode::environment:
      return "environment: preflight failed, device or peer lost";
    case ExitCode::internal:
      return "internal error";
    case ExitCode::io:
      return "I/O: checkpoint could not be written or read";
    case ExitCode::stopped:
      return "stopped early, checkpoint committed";
    case ExitCode::diverged:
      return "diverged (non-finite loss)";
    case ExitCode::hang:
      return "hang: watchdog ended the run, culprit named";
  }
  return "unknown";
}

}  // namespace lockstep::job
