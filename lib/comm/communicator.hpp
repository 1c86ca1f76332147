#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/buffer_view.hpp"
#include "core/deadline.hpp"

namespace lockstep::comm {

enum class ReduceOp { sum, min, max };

/// One collective on its way: move-only, and it must be waited for. Dropping it unfinished is a
/// defect of ours and is logged.
class [[nodiscard]] Pending {
 public:
  class Operation {
   public:
    virtual ~Operation() = default;
    /// Returns when the collective is complete, or throws Error{peer} that names who was waited
    /// for.
    virtual void wait() = 0;
  };

  Pending() = default;  ///< complete already
  explicit Pending(std::unique_ptr<Operation> operation) : operation_(std::move(operation)) {}
  Pending(Pending&&) noexcept = default;
  Pending& operator=(Pending&&) noexcept = default;
  ~Pending();

  void wait();

 private:
  std::unique_ptr<Operation> operation_;
};

/// Collectives on buffers over one fixed group of ranks. Every rank calls the same functions in the
/// same order with the same sizes. Results are deterministic: the same ranks, sizes and settings
/// give the same bits.
class Communicator {
 public:
  virtual ~Communicator() = default;

  [[nodiscard]] virtual std::string_view name() const noexcept = 0;  ///< "mpi", "nccl"
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;

  [[nodiscard]] virtual Pending all_reduce(BufferView inout, ReduceOp op) = 0;
  /// in.count == out.count * size(); rank r gets the r-th part.
  [[nodiscard]] virtual Pending reduce_scatter(BufferView in, BufferView out, ReduceOp op) = 0;
  /// out.count == in.count * size().
  [[nodiscard]] virtual Pending all_gather(BufferView in, BufferView out) = 0;
  [[nodiscard]] virtual Pending broadcast(BufferView inout, int root) = 0;
  [[nodiscard]] virtual Pending barrier() = 0;

  /// A normal end: collective, complete within the deadline. Destructors never communicate.
  virtual void close() {}
};

}  // namespace lockstep::comm
