#pragma once

#include <algorithm>
#include <vector>

#include "comm/communicator.hpp"

namespace lockstep::tests {

/// A group of one without MPI: sums are what is there already. Remembers what it was asked to
/// reduce.
class LoneCommunicator final : public comm::Communicator {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "lone"; }
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 1; }

  [[nodiscard]] comm::Pending all_reduce(BufferView inout, comm::ReduceOp /*op*/) override {
    reduced.push_back(inout);
    return {};
  }
  [[nodiscard]] comm::Pending reduce_scatter(BufferView in, BufferView out,
                                             comm::ReduceOp /*op*/) override {
    std::copy_n(in.bytes(), in.size_bytes(), out.bytes());
    return {};
  }
  [[nodiscard]] comm::Pending all_gather(BufferView in, BufferView out) override {
    std::copy_n(in.bytes(), in.size_bytes(), out.bytes());
    return {};
  }
  [[nodiscard]] comm::Pending broadcast(BufferView /*inout*/, int /*root*/) override { return {}; }
  [[nodiscard]] comm::Pending barrier() override { return {}; }

  std::vector<BufferView> reduced;
};

}  // namespace lockstep::tests
