#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer_view.hpp"
#include "core/unique_handle.hpp"

namespace lockstep::mpi {

enum class Op { sum, min, max };

struct CommTraits {
  using value_type = MPI_Comm;
  static MPI_Comm null() noexcept { return MPI_COMM_NULL; }
  static void close(MPI_Comm /*comm*/) noexcept;
};

/// A non-blocking operation on its way. It must be finished: test() until true.
class Request {
 public:
  explicit Request(MPI_Request request) noexcept : request_(request) {}
  /// True once the operation is complete; makes progress.
  [[nodiscard]] bool test();

 private:
  MPI_Request request_;
};

/// A group of ranks. Counts come from spans, types from BufferView; every call is checked.
/// Buffers beyond 2^31 elements are cut into several calls.
class Comm {
 public:
  explicit Comm(MPI_Comm comm);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  [[nodiscard]] Comm duplicate() const;
  /// The ranks that share this one's memory.
  [[nodiscard]] Comm split_by_node() const;

  /// Leaves the communicator to MPI for good. After a wait that was given up its messages may still
  /// be under way, and Open MPI would hand its number, and with it those messages, to the next
  /// communicator that is made.
  void abandon() noexcept { static_cast<void>(owned_.release()); }

  void barrier() const;

  void all_reduce(BufferView inout, Op op) const;
  /// For a few elements; `inout` must stay valid until the request is done.
  [[nodiscard]] Request start_all_reduce(BufferView inout, Op op) const;
  /// in.count == out.count * size().
  void reduce_scatter(BufferView in, BufferView out, Op op) const;
  /// out.count == in.count * size(); `in` may be this rank's own part of `out`.
  void all_gather(BufferView in, BufferView out) const;
  void broadcast(BufferView inout, int root) const;

  /// True everywhere if it is true everywhere.
  [[nodiscard]] bool all(bool mine) const;
  [[nodiscard]] double max(double mine) const;
  /// Texts of any length, in rank order.
  [[nodiscard]] std::vector<std::string> all_gather_text(std::string_view mine) const;
  /// At the root: all texts in rank order; elsewhere empty.
  [[nodiscard]] std::vector<std::string> gather_text(std::string_view mine, int root) const;
  [[nodiscard]] std::string broadcast_text(std::string_view mine, int root) const;

  /// Small messages with a tag; send is complete when the text has left (buffered by MPI if it is
  /// small).
  [[nodiscard]] Request start_send(std::span<const std::byte> bytes, int to, int tag) const;
  struct Message {
    int from;
    std::vector<std::byte> bytes;
  };
  /// A message with this tag if one is here; never waits for one.
  [[nodiscard]] std::optional<Message> poll(int tag) const;

 private:
  UniqueHandle<CommTraits> owned_;  // empty for MPI_COMM_WORLD, which MPI owns
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace lockstep::mpi
