#pragma once

#include "checkpoint/group.hpp"
#include "comm/communicator.hpp"
#include "mpi/comm.hpp"

namespace lockstep::train {

/// A checkpoint's writers as MPI ranks. Each call first waits for all ranks with the communicator's
/// deadline, so a dead peer is named and nobody hangs.
class MpiGroup final : public checkpoint::Group {
 public:
  /// `waiting` bounds the waits; both borrowed, over the same ranks.
  MpiGroup(const mpi::Comm& peers, comm::Communicator& waiting)
      : peers_(peers), waiting_(waiting) {}

  [[nodiscard]] int rank() const noexcept override { return peers_.rank(); }
  [[nodiscard]] int size() const noexcept override { return peers_.size(); }
  void barrier() override { meet(); }
  [[nodiscard]] bool all(bool mine) override {
    meet();
    return peers_.all(mine);
  }
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override {
    meet();
    return peers_.gather_text(mine, 0);
  }
  [[nodiscard]] std::string broadcast(std::string_view from_root) override {
    meet();
    return peers_.broadcast_text(from_root, 0);
  }
  void broadcast_bytes(std::vector<std::byte>& bytes, int root) override {
    meet();
    peers_.broadcast({bytes.data(), bytes.size(), DType::u8}, root);
  }

 private:
  void meet() { waiting_.barrier().wait(); }

  const mpi::Comm& peers_;
  comm::Communicator& waiting_;
};

}  // namespace lockstep::train
