#pragma once

#include <string>

#include "core/error.hpp"

namespace lockstep::job {

/// What an Error of this kind says that `act` throws; "" if it throws none.
template <typename Act>
std::string message_of(ErrorKind kind, Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.kind() == kind ? error.what() : "of another kind: " + std::string(error.what());
  }
  return "";
}

}  // namespace lockstep::job
