#pragma once

namespace lockstep::mpi {

/// For a process that no launcher started, before its Session: Open MPI would start a daemon beside
/// it and load every transport there is, for one rank that never talks to another. Settings that
/// the user made stay as they are; with the variables of any process manager around (PMI, PMIx,
/// Flux), nothing is done at all.
void start_as_singleton();

}  // namespace lockstep::mpi
