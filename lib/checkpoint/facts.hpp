#pragma once

#include <cstdint>
#include <string>

namespace lockstep::checkpoint {

/// What stands in a MANIFEST beside the tensors: facts for people and for the resume.
struct Facts {
  std::int64_t step = 0;
  std::int64_t samples = 0;  ///< consumed by all ranks together
  std::string run;           ///< the run's name
  int attempt = 1;
  std::string config;     ///< the resolved configuration, YAML
  std::string versions;   ///< JSON object: lockstep, torch, mpi, hdf5
  bool is_finite = true;  ///< no NaN or infinity in the weights
};

}  // namespace lockstep::checkpoint
