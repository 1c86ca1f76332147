#pragma once

#include <functional>

#include "checkpoint/group.hpp"
#include "core/error.hpp"

namespace lockstep::train {

/// An error that every rank has: they end in good order, and one of them says why.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// Runs `action` on every rank and waits for all. If it throws anywhere, every rank throws one
/// CollectiveError with the message of the first rank that failed, so nobody goes on alone. A dead
/// peer (Error{peer}) passes as it is.
void together(checkpoint::Group& group, const std::function<void()>& action);

/// For calls that throw the same on every rank already: gives their error its collective type.
void collectively(const std::function<void()>& action);

/// Rank 0 alone runs `action`; its text, or its error, is everybody's.
std::string at_root(checkpoint::Group& group, const std::function<std::string()>& action);

}  // namespace lockstep::train
