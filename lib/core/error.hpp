#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "core/where.hpp"

namespace lockstep {

/// Who must act on an error. A program turns the kind into an exit code (job/exit_code.hpp);
/// nothing else branches on it.
enum class ErrorKind {
  usage,        ///< the command line or the configuration must change
  data,         ///< the input data are unusable
  environment,  ///< the node, the launcher or a limit is not as it must be
  peer,         ///< another rank died, or did not come in time
  io,           ///< a checkpoint could not be written or read
  diverged,     ///< the loss is not finite any more
  hang,         ///< the watchdog ended the run
  internal,     ///< a defect of ours
};

[[nodiscard]] std::string_view name(ErrorKind kind) noexcept;

/// One sentence for the person in front of it: what happened, to which object, with which numbers,
/// and what to try.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, Where where = Where::here())
      : std::runtime_error(message), kind_(kind), where_(where) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] Where where() const noexcept { return where_; }

 private:
  ErrorKind kind_;
  Where where_;
};

/// An Error that every rank has, with the same message: they end in good order, and one of them
/// says why. An Error that is none of these is one rank's alone, and that rank must abort the job.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// Guards an invariant of our own; stays on in release builds. Throws Error{internal}.
void expect(bool holds, std::string_view what, Where where = Where::here());

}  // namespace lockstep
