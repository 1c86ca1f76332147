#include "comm/cuda/nccl_handle.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/error.hpp"
#include "device/cuda/check.hpp"

namespace lockstep::comm {
namespace {

ErrorKind kind_of(ncclResult_t code) {
  switch (code) {
    case ncclRemoteError:
      return ErrorKind::peer;
    case ncclInvalidArgument:
    case ncclInvalidUsage:
      return ErrorKind::internal;
    default:
      return ErrorKind::environment;
  }
}

// The bootstrap's own TCP sockets are a common reason for slow or failing starts of large jobs;
// from 2.23 on NCCL can take its network (InfiniBand where there is one) instead. Whoever has set
// it knows better.
void prefer_the_fabric_for_bootstrap() {
  constexpr int kFirstVersion = 22300;
  int version = 0;
  check(ncclGetVersion(&version), "ncclGetVersion", nullptr);
  if (version >= kFirstVersion) ::setenv("NCCL_OOB_NET_ENABLE", "1", 0);
}

ncclUniqueId agree_on_id(const mpi::Comm& peers) {
  ncclUniqueId id{};
  std::int32_t code = ncclSuccess;
  if (peers.rank() == 0) code = ncclGetUniqueId(&id);
  peers.broadcast({&code, 1, DType::i32}, 0);
  check(static_cast<ncclResult_t>(code), "ncclGetUniqueId on rank 0", nullptr);
  peers.broadcast({id.internal, sizeof id.internal, DType::u8}, 0);
  return id;
}

}  // namespace

Stream make_stream() {
  cudaStream_t stream = nullptr;
  device::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                "cudaStreamCreateWithFlags");
  return Stream(stream);
}

Event record(cudaStream_t stream) {
  cudaEvent_t handle = nullptr;
  device::check(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming),
                "cudaEventCreateWithFlags");
  Event event(handle);
  device::check(cudaEventRecord(handle, stream), "cudaEventRecord");
  return event;
}

ncclDataType_t to_nccl(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return ncclUint8;
    case DType::i32:
      return ncclInt32;
    case DType::i64:
      return ncclInt64;
    case DType::f16:
      return ncclFloat16;
    case DType::bf16:
      return ncclBfloat16;
    case DType::f32:
      return ncclFloat32;
    case DType::f64:
      return ncclFloat64;
  }
  return ncclUint8;
}

ncclRedOp_t to_nccl(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return ncclSum;
    case ReduceOp::min:
      return ncclMin;
    case ReduceOp::max:
      return ncclMax;
  }
  return ncclSum;
}

void check(ncclResult_t code, std::string_view call, ncclComm_t comm, Where where) {
  if (code == ncclSuccess || code == ncclInProgress) return;
  throw Error(kind_of(code),
              fmt::format("{} failed: {} ({}); NCCL_DEBUG=WARN says more", call,
                          ncclGetErrorString(code), ncclGetLastError(comm)),
              where);
}

bool is_in_progress(ncclComm_t comm, std::string_view call) {
  ncclResult_t state = ncclSuccess;
  check(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError", comm);
  check(state, call, comm);
  return state == ncclInProgress;
}

NcclComm begin_nccl(const mpi::Comm& peers, Vigil& vigil) {
  prefer_the_fabric_for_bootstrap();
  const ncclUniqueId id = agree_on_id(peers);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t handle = nullptr;
  const ncclResult_t code =
      ncclCommInitRankConfig(&handle, peers.size(), id, peers.rank(), &config);
  NcclComm comm(handle);
  check(code, "ncclCommInitRankConfig", handle);
  vigil.wait(0, {.collective = "the set-up of NCCL"},
             [&] { return !is_in_progress(handle, "ncclCommInitRankConfig"); });
  return comm;
}

void end_nccl(NcclComm& comm, Vigil& vigil, std::uint64_t sequence) {
  check(ncclCommFinalize(comm.get()), "ncclCommFinalize", comm.get());
  vigil.wait(sequence, {.collective = "the end of NCCL"},
             [&] { return !is_in_progress(comm.get(), "ncclCommFinalize"); });
  check(ncclCommDestroy(comm.release()), "ncclCommDestroy", nullptr);
}

}  // namespace lockstep::comm
