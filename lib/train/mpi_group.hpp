#pragma once

#include "checkpoint/group.hpp"
#include "comm/communicator.hpp"

namespace lockstep::train {

/// A checkpoint's writers as ranks of a communicator on host memory: each call has its limits, so a
/// dead peer is named and nobody hangs.
class MpiGroup final : public checkpoint::Group {
 public:
  explicit MpiGroup(comm::Communicator& ranks) : ranks_(ranks) {}

  [[nodiscard]] int rank() const noexcept override { return ranks_.rank(); }
  [[nodiscard]] int size() const noexcept override { return ranks_.size(); }
  void barrier() override { ranks_.barrier().wait(); }
  [[nodiscard]] bool all(bool mine) override;
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override;
  [[nodiscard]] std::string broadcast(std::string_view from_root) override;
  void broadcast_bytes(std::vector<std::byte>& bytes, int root) override;

 private:
  comm::Communicator& ranks_;
};

}  // namespace lockstep::train
