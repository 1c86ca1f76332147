#include "comm/mpi_communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "comm/call_guard.hpp"
#include "comm/meeting.hpp"
#include "core/error.hpp"

namespace lockstep::comm {
namespace {

mpi::Op to_mpi(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
      return mpi::Op::sum;
    case ReduceOp::min:
      return mpi::Op::min;
    case ReduceOp::max:
      return mpi::Op::max;
  }
  return mpi::Op::sum;
}

// Checked on one rank as well, so that what runs alone also runs in company.
void expect_reducible(DType dtype) {
  if (dtype != DType::bf16 && dtype != DType::f16) return;
  throw Error(ErrorKind::usage,
              fmt::format("MPI has no arithmetic for {}: reduce f32, or use comm.backend nccl",
                          name(dtype)));
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(const mpi::Comm& peers, MakeOptions options)
      : rank_(peers.rank()), size_(peers.size()), piece_bytes_(options.piece_bytes) {
    if (size_ == 1) return;  // one rank alone never talks
    comm_.emplace(peers.duplicate());
    meeting_.emplace(peers,
                     Vigil::Options{options.patience, std::move(options.phase), options.grace});
    if (options.on_stuck) {
      guard_.emplace(meeting_->roster(), std::move(options.patience), std::move(options.on_stuck));
    }
  }

  std::string_view name() const noexcept override { return "mpi"; }
  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }

  Pending all_reduce(BufferView inout, ReduceOp op) override {
    expect_reducible(inout.dtype);
    if (size_ == 1) return {};
    meeting_->gather(
        {.collective = "all_reduce", .count = inout.count, .dtype = inout.dtype, .op = op});
    const auto guarded = watch("all_reduce");
    const std::size_t piece = piece_elements(inout);
    for (std::size_t first = 0; first < inout.count; first += piece) {
      comm_->all_reduce(inout.slice(first, std::min(piece, inout.count - first)), to_mpi(op));
    }
    return {};
  }

  Pending reduce_scatter(BufferView in, BufferView out, ReduceOp op) override {
    expect_reducible(in.dtype);
    expect(in.dtype == out.dtype, "reduce_scatter: in and out have the same type");
    expect(in.count == out.count * static_cast<std::size_t>(size_),
           "reduce_scatter: in holds size() times out");
    if (size_ == 1) return copy(in, out);
    meeting_->gather(
        {.collective = "reduce_scatter", .count = in.count, .dtype = in.dtype, .op = op});
    const auto guarded = watch("reduce_scatter");
    comm_->reduce_scatter(in, out, to_mpi(op));
    return {};
  }

  Pending all_gather(BufferView in, BufferView out) override {
    expect(in.dtype == out.dtype, "all_gather: in and out have the same type");
    expect(out.count == in.count * static_cast<std::size_t>(size_),
           "all_gather: out holds size() times in");
    if (size_ == 1) return copy(in, out);
    meeting_->gather({.collective = "all_gather", .count = in.count, .dtype = in.dtype});
    const auto guarded = watch("all_gather");
    comm_->all_gather(in, out);
    return {};
  }

  Pending broadcast(BufferView inout, int root) override {
    expect(root >= 0 && root < size_, "broadcast: the root is a rank");
    if (size_ == 1) return {};
    meeting_->gather(
        {.collective = "broadcast", .count = inout.count, .dtype = inout.dtype, .root = root});
    const auto guarded = watch("broadcast");
    comm_->broadcast(inout, root);
    return {};
  }

  Pending barrier() override {
    if (size_ > 1) meeting_->gather({.collective = "barrier"});
    return {};
  }

  // Nothing is under way after the last collective; but a rank that leaves early would look like
  // one that died.
  void close() override {
    if (size_ > 1) meeting_->gather({.collective = "close"});
  }

 private:
  static Pending copy(BufferView in, BufferView out) {
    if (in.count > 0 && in.data != out.data) std::memcpy(out.data, in.data, in.size_bytes());
    return {};
  }

  std::unique_ptr<CallGuard::Scope> watch(const char* what) {
    return guard_ ? std::make_unique<CallGuard::Scope>(*guard_, what) : nullptr;
  }

  // Whole elements; the same on all ranks, since the order of additions follows from it.
  std::size_t piece_elements(BufferView buffer) const {
    if (piece_bytes_ == 0) return std::max<std::size_t>(buffer.count, 1);
    return std::max<std::size_t>(piece_bytes_ / size_of(buffer.dtype), 1);
  }

  int rank_;
  int size_;
  std::size_t piece_bytes_;
  std::optional<mpi::Comm> comm_;
  std::optional<Meeting> meeting_;
  std::optional<CallGuard> guard_;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi(const mpi::Comm& peers, MakeOptions options) {
  return std::make_unique<MpiCommunicator>(peers, std::move(options));
}

}  // namespace lockstep::comm
