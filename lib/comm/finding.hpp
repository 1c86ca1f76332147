#pragma once

#include <optional>
#include <vector>

#include "comm/call.hpp"
#include "comm/peer_error.hpp"
#include "comm/roster.hpp"

namespace lockstep::comm {

/// What every rank is at, as far as it said so.
using Answers = std::vector<std::optional<Position>>;  // by rank

/// Why a wait was given up, in one sentence: who did not answer, or was somewhere else.
[[nodiscard]] PeerError explain_late(const Roster& roster, const Position& mine,
                                     Clock::duration waited, const Answers& answers);
/// The same for a peer on this host whose process has ended.
[[nodiscard]] PeerError explain_gone(const Roster& roster, const Position& mine, int gone);
/// All ranks came, but not to the same collective. `positions` holds every rank; the fewest are
/// taken as wrong.
[[nodiscard]] PeerError explain_mismatch(const Roster& roster,
                                         const std::vector<Position>& positions);

}  // namespace lockstep::comm
