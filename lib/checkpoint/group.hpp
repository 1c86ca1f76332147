#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::checkpoint {

/// The writers of one checkpoint. MPI gives one (train/mpi_group.hpp), tests give threads or forked
/// processes, a tool is a group of one: the module itself knows no MPI. Every call is collective.
class Group {
 public:
  virtual ~Group() = default;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  virtual void barrier() = 0;
  /// True everywhere iff it is true everywhere.
  [[nodiscard]] virtual bool all(bool mine) = 0;
  /// At rank 0 all texts in rank order, elsewhere empty.
  [[nodiscard]] virtual std::vector<std::string> gather(std::string_view mine) = 0;
  /// Rank 0's text, everywhere.
  [[nodiscard]] virtual std::string broadcast(std::string_view from_root) = 0;
  /// Rank `root`'s bytes into everyone's `bytes` (same length everywhere).
  virtual void broadcast_bytes(std::vector<std::byte>& bytes, int root) = 0;
};

/// A group of one.
class Alone final : public Group {
 public:
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 1; }
  void barrier() override {}
  [[nodiscard]] bool all(bool mine) override { return mine; }
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override {
    return {std::string(mine)};
  }
  [[nodiscard]] std::string broadcast(std::string_view from_root) override {
    return std::string(from_root);
  }
  void broadcast_bytes(std::vector<std::byte>& /*bytes*/, int /*root*/) override {}
};

}  // namespace lockstep::checkpoint
