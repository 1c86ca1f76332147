#pragma once

#include <string>

namespace lockstep::h5 {

/// Version of the HDF5 library that was really loaded: "1.10.8".
[[nodiscard]] std::string library_version();

}  // namespace lockstep::h5
