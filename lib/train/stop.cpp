#include "train/stop.hpp"

namespace lockstep::train {

std::string_view name(Stop stop) noexcept {
  switch (stop) {
    case Stop::no:
      return "no";
    case Stop::finished:
      return "finished";
    case Stop::stop_file:
      return "stop_file";
    case Stop::deadline:
      return "deadline";
    case Stop::signalled:
      return "signalled";
    case Stop::diverged:
      return "diverged";
  }
  return "unknown";
}

std::string_view sentence(Stop stop) noexcept {
  switch (stop) {
    case Stop::no:
      return "still running";
    case Stop::finished:
      return "the run is finished";
    case Stop::stop_file:
      return "the file STOP in the run directory asked for a stop";
    case Stop::deadline:
      return "the job's time limit is near";
    case Stop::signalled:
      return "a signal asked for a stop";
    case Stop::diverged:
      return "the loss or a gradient is not finite any more";
  }
  return "unknown";
}

job::ExitCode exit_code(Stop stop) noexcept {
  switch (stop) {
    case Stop::no:
      return job::ExitCode::internal;
    case Stop::finished:
      return job::ExitCode::done;
    case Stop::stop_file:
    case Stop::deadline:
    case Stop::signalled:
      return job::ExitCode::stopped;
    case Stop::diverged:
      return job::ExitCode::diverged;
  }
  return job::ExitCode::internal;
}

}  // namespace lockstep::train
