#pragma once

#include <optional>
#include <string>

#include "job/exit_code.hpp"
#include "job/placement.hpp"
#include "mpi/session.hpp"
#include "os/signals.hpp"
#include "train/resume.hpp"
#include "train/settings.hpp"

namespace lockstep::train {

/// What `lockstep-train` was asked for beside the configuration.
struct Request {
  Resume resume;
  std::optional<std::string> evaluate;  ///< a step directory, or "latest": score it and end
  std::optional<int> attempt;           ///< LOCKSTEP_ATTEMPT, from the supervisor
};

/// One attempt of a run, on all ranks: builds the parts, trains, and leaves outcome.json. Ends in
/// good order with a code; an Error that only this rank has comes out, and the caller must abort
/// the job with its code. `signals` live longer: one that comes after the end must not kill a rank
/// that still says goodbye.
[[nodiscard]] job::ExitCode run(const Settings& settings, const Request& request,
                                const mpi::Session& session, job::Placement placement,
                                os::StopSignals& signals);

}  // namespace lockstep::train
