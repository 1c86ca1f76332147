#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "core/where.hpp"

namespace lockstep::device {

/// Turns a CUDA return code into Error{environment} with CUDA's own text. Each CUDA call is checked
/// once, where it is made. For device/cuda and comm/cuda alone.
void check(cudaError_t code, std::string_view call, Where where = Where::here());

}  // namespace lockstep::device
