#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"

namespace lockstep::test {

/// The message of the Error of kind `kind` that `action` must throw.
template <typename Action>
std::string error_of(ErrorKind kind, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(name(error.kind()), name(kind)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace lockstep::test
