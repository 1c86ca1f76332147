#include "comm/cuda/nccl_communicator.hpp"

#include <fmt/format.h>

#include "comm/cuda/nccl_handle.hpp"
#include "core/error.hpp"
#include "device/cuda/check.hpp"
#include "device/device.hpp"

namespace lockstep::comm {
namespace {

// The stream that LibTorch computes on unless it is told otherwise.
constexpr cudaStream_t kComputeStream = nullptr;

/// What the communicator and the collectives that are on their way both use.
struct Engine {
  int device;
  Vigil vigil;
  Stream stream;
  NcclComm comm;  // last: it ends before the stream that it uses

  /// Polls `is_done`; on any failure NCCL is aborted at once, since its kernels would block the
  /// device, and with it every destructor that frees memory.
  void wait(std::uint64_t sequence, const Call& call, const std::function<bool()>& is_done) {
    try {
      vigil.wait(sequence, call, is_done);
    } catch (const PeerError&) {
      comm.reset();
      throw;
    } catch (const Error& error) {
      comm.reset();
      const std::string self = vigil.roster().name(vigil.roster().own_rank());
      if (error.kind() != ErrorKind::peer) {
        vigil.give_up({vigil.roster().own_rank(), self,
                       fmt::format("{} failed in {}: {}", self, call.text(), error.what())});
      }
      vigil.give_up(
          {-1, "",
           fmt::format("NCCL on {} lost another rank in {}: {}", self, call.text(), error.what())});
    }
  }
};

class OnStream final : public Pending::Operation {
 public:
  OnStream(Engine& engine, std::uint64_t sequence, const Call& call)
      : engine_(engine), sequence_(sequence), call_(call), done_(record(engine.stream.get())) {}

  void wait() override {
    device::select(engine_.device);
    engine_.wait(sequence_, call_, [this] { return is_done(); });
    device::check(cudaStreamWaitEvent(kComputeStream, done_.get(), 0), "cudaStreamWaitEvent");
  }

 private:
  bool is_done() const {
    if (is_in_progress(engine_.comm.get(), call_.collective)) return false;
    const cudaError_t state = cudaEventQuery(done_.get());
    if (state == cudaErrorNotReady) return false;
    device::check(state, "cudaEventQuery");
    return true;
  }

  Engine& engine_;
  std::uint64_t sequence_;
  Call call_;
  Event done_;
};

class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(const mpi::Comm& peers, MakeOptions options)
      : rank_(peers.rank()),
        size_(peers.size()),
        token_(options.device, sizeof(std::int32_t)),
        engine_{
            options.device,
            Vigil(peers, {std::move(options.patience), std::move(options.phase), options.grace}),
            make_stream(),
            {}} {
    engine_.comm = begin_nccl(peers, engine_.vigil);
  }

  std::string_view name() const noexcept override { return "nccl"; }
  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }

  Pending all_reduce(BufferView inout, ReduceOp op) override {
    return start({.collective = "all_reduce", .count = inout.count, .dtype = inout.dtype, .op = op},
                 [&] {
                   return ncclAllReduce(inout.data, inout.data, inout.count, to_nccl(inout.dtype),
                                        to_nccl(op), comm(), stream());
                 });
  }

  Pending reduce_scatter(BufferView in, BufferView out, ReduceOp op) override {
    expect(in.dtype == out.dtype, "reduce_scatter: in and out have the same type");
    expect(in.count == out.count * static_cast<std::size_t>(size_),
           "reduce_scatter: in holds size() times out");
    return start({.collective = "reduce_scatter", .count = in.count, .dtype = in.dtype, .op = op},
                 [&] {
                   return ncclReduceScatter(in.data, out.data, out.count, to_nccl(in.dtype),
                                            to_nccl(op), comm(), stream());
                 });
  }

  Pending all_gather(BufferView in, BufferView out) override {
    expect(in.dtype == out.dtype, "all_gather: in and out have the same type");
    expect(out.count == in.count * static_cast<std::size_t>(size_),
           "all_gather: out holds size() times in");
    return start({.collective = "all_gather", .count = in.count, .dtype = in.dtype}, [&] {
      return ncclAllGather(in.data, out.data, in.count, to_nccl(in.dtype), comm(), stream());
    });
  }

  Pending broadcast(BufferView inout, int root) override {
    expect(root >= 0 && root < size_, "broadcast: the root is a rank");
    return start(
        {.collective = "broadcast", .count = inout.count, .dtype = inout.dtype, .root = root}, [&] {
          return ncclBroadcast(inout.data, inout.data, inout.count, to_nccl(inout.dtype), root,
                               comm(), stream());
        });
  }

  Pending barrier() override {
    return start({.collective = "barrier"}, [&] {
      return ncclAllReduce(token_.data(), token_.data(), 1, ncclInt32, ncclMax, comm(), stream());
    });
  }

  void close() override {
    if (!engine_.comm) return;
    barrier().wait();  // a wait with a limit; after it the device has nothing left that could wait
                       // for a peer
    device::synchronize(engine_.device);
    ++sequence_;
    try {
      end_nccl(engine_.comm, engine_.vigil, sequence_);
    } catch (const Error&) {
      engine_.comm.reset();
      throw;
    }
  }

 private:
  ncclComm_t comm() const noexcept { return engine_.comm.get(); }
  cudaStream_t stream() const noexcept { return engine_.stream.get(); }

  template <typename Launch>
  Pending start(const Call& call, Launch&& launch) {
    expect(static_cast<bool>(engine_.comm),
           "nothing is called on a communicator that has failed or was closed");
    ++sequence_;
    device::select(engine_.device);
    engine_.vigil.look_around(sequence_, call);
    const Event ready = record(kComputeStream);
    device::check(cudaStreamWaitEvent(stream(), ready.get(), 0), "cudaStreamWaitEvent");
    const ncclResult_t code = launch();
    check(code, call.collective, comm());
    // The event must stand behind the kernel: a non-blocking communicator may not have put it there
    // yet.
    if (code == ncclInProgress) {
      engine_.wait(sequence_, call, [&] { return !is_in_progress(comm(), call.collective); });
    }
    return Pending(std::make_unique<OnStream>(engine_, sequence_, call));
  }

  int rank_;
  int size_;
  std::uint64_t sequence_ = 0;
  device::Memory token_;
  Engine engine_;
};

}  // namespace

std::unique_ptr<Communicator> make_nccl(const mpi::Comm& peers, MakeOptions options) {
  // Together: a rank that leaves alone would let the others wait.
  if (!peers.all(options.device >= 0 && options.device < device::visible_count())) {
    throw Error(
        ErrorKind::environment,
        fmt::format(
            "comm.backend nccl needs a GPU for each rank, and not every rank has one (rank {} "
            "sees {}): ask for them with --gpus-per-node, or set comm.backend to mpi",
            peers.rank(), device::visible_count()));
  }
  device::select(options.device);
  return std::make_unique<NcclCommunicator>(peers, std::move(options));
}

}  // namespace lockstep::comm
