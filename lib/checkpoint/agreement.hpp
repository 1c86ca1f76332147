#pragma once

#include <functional>
#include <string>

#include "checkpoint/group.hpp"

/// No rank leaves a collective path alone: what one rank cannot do, all ranks throw, with the same
/// sentence.
namespace lockstep::checkpoint {

/// Runs `part` on every rank. If it throws anywhere, every rank throws a CollectiveError that
/// begins with `what` (if that says anything) and names each failed rank with its reason; the kind
/// is that of the lowest failed rank. Error{peer} passes as it is: with a dead peer nobody can
/// agree.
void together(Group& group, const std::string& what, const std::function<void()>& part);

/// Runs `part` on rank 0 alone and gives its text to all; if it throws, every rank throws the same
/// CollectiveError.
[[nodiscard]] std::string on_root(Group& group, const std::string& what,
                                  const std::function<std::string()>& part);

}  // namespace lockstep::checkpoint
