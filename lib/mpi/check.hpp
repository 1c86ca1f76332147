#pragma once

#include <string_view>

#include "core/where.hpp"

namespace lockstep::mpi {

/// Turns an MPI return code into Error{peer} with MPI's own text. Each MPI call is checked once,
/// where it is made.
void check(int code, std::string_view call, Where where = Where::here());

}  // namespace lockstep::mpi
