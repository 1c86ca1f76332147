#include "device/cuda/check.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace lockstep::device {
namespace {

std::string_view advice(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return "; a smaller train.micro_batch needs less memory";
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      return "; run preflight-node to see what is wrong with this node's driver";
    case cudaErrorECCUncorrectable:
    case cudaErrorDevicesUnavailable:
      return "; the GPU needs its operator, leave this node out";
    default:
      return "";
  }
}

}  // namespace

void check(cudaError_t code, std::string_view call, Where where) {
  if (code == cudaSuccess) return;
  throw Error(ErrorKind::environment,
              fmt::format("{} failed: {} ({}){}", call, cudaGetErrorString(code),
                          cudaGetErrorName(code), advice(code)),
              where);
}

}  // namespace lockstep::device
