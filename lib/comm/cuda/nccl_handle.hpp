#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string_view>

#include "comm/communicator.hpp"
#include "comm/vigil.hpp"
#include "core/unique_handle.hpp"
#include "core/where.hpp"

namespace lockstep::comm {

struct NcclCommTraits {
  using value_type = ncclComm_t;
  static ncclComm_t null() noexcept { return nullptr; }
  // Only after a failure: a normal end is end_nccl(). Aborting while transfers are alive has upset
  // NVSwitches.
  static void close(ncclComm_t comm) noexcept { static_cast<void>(ncclCommAbort(comm)); }
};
using NcclComm = UniqueHandle<NcclCommTraits>;

struct StreamTraits {
  using value_type = cudaStream_t;
  static cudaStream_t null() noexcept { return nullptr; }
  static void close(cudaStream_t stream) noexcept { static_cast<void>(cudaStreamDestroy(stream)); }
};
using Stream = UniqueHandle<StreamTraits>;

struct EventTraits {
  using value_type = cudaEvent_t;
  static cudaEvent_t null() noexcept { return nullptr; }
  static void close(cudaEvent_t event) noexcept { static_cast<void>(cudaEventDestroy(event)); }
};
using Event = UniqueHandle<EventTraits>;

/// Does not wait for the legacy default stream, nor that one for it.
[[nodiscard]] Stream make_stream();
/// Marks what is on `stream` now.
[[nodiscard]] Event record(cudaStream_t stream);

[[nodiscard]] ncclDataType_t to_nccl(DType dtype);
[[nodiscard]] ncclRedOp_t to_nccl(ReduceOp op);

/// Accepts success and "in progress"; anything else is an Error with NCCL's own text. `comm` may be
/// null.
void check(ncclResult_t code, std::string_view call, ncclComm_t comm, Where where = Where::here());

/// True while a non-blocking call on `comm` is not done; throws what went wrong meanwhile.
[[nodiscard]] bool is_in_progress(ncclComm_t comm, std::string_view call);

/// NCCL's unique id travels over MPI; set-up is polled against the vigil's patience. Collective.
[[nodiscard]] NcclComm begin_nccl(const mpi::Comm& peers, Vigil& vigil);
/// A normal end: finalize, polled, then destroy. Collective; nothing may be under way any more.
void end_nccl(NcclComm& comm, Vigil& vigil, std::uint64_t sequence);

}  // namespace lockstep::comm
