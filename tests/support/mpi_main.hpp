#pragma once

#include "mpi/comm.hpp"

namespace lockstep::tests {

/// All ranks of the test program. tests/support/mpi_main.cpp owns main(): link lockstep_mpi_main
/// and write tests that every rank runs alike.
[[nodiscard]] const mpi::Comm& world();

}  // namespace lockstep::tests
