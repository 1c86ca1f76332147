#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace lockstep::train {

/// Versions and paths of the libraries that this process really loaded: lockstep, MPI and its
/// messaging layer, UCX, HDF5, LibTorch.
[[nodiscard]] nlohmann::ordered_json versions();

}  // namespace lockstep::train
