#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/contents.hpp"
#include "checkpoint/group.hpp"
#include "checkpoint/manifest.hpp"
#include "checkpoint/shard_reader.hpp"

namespace lockstep::checkpoint {

/// Brings the bytes of one step into live tensors, on every rank at once. Each block of each shard
/// is read once, by one rank, verified and sent to all; ranks read different files at the same
/// time.
///
/// It writes while it reads: after a failure replicated tensors hold parts of this step, and the
/// caller restores another one in full or gives up. Per-rank tensors, which another step may leave
/// alone, are written only once everything has verified.
class Restore {
 public:
  Restore(Group& group, const std::filesystem::path& step, const Manifest& manifest,
          const Contents& contents);

  /// Why this step cannot be used (the same on all ranks), or nothing.
  [[nodiscard]] std::optional<std::string> run();
  /// The Saveables' texts, in the order of contents.parts.
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] Restored how() const noexcept { return how_; }

 private:
  struct Job {
    std::size_t file;
    std::size_t block;
  };
  /// Bytes of a file that go into memory.
  struct Target {
    std::uint64_t offset;
    std::uint64_t bytes;
    const TensorView* tensor;  ///< or null: bytes of `buffer`
    std::uint64_t first_byte;  ///< in the tensor's row-major image, or in the buffer
    std::vector<std::byte>* buffer;
  };

  void add_targets(const Contents& contents);
  void add_own(const TensorView& view, const Manifest::Tensor& tensor);
  [[nodiscard]] std::vector<Job> jobs_of(int rank) const;
  /// Reads and verifies into mine_; one byte more says whether it is good.
  void read(const Job& job);
  void take(const Job& job, std::span<const std::byte> payload) const;
  [[nodiscard]] std::string reason_of_failure();

  Group& group_;
  std::filesystem::path step_;
  const Manifest& manifest_;
  Restored how_;
  std::vector<std::vector<Target>> targets_;  ///< of each file, by offset
  std::vector<std::vector<std::byte>> text_buffers_;
  struct Own {
    const TensorView* tensor;
    std::vector<std::byte> bytes;
  };
  std::vector<Own> own_;               ///< per-rank tensors until all has verified
  std::vector<std::byte> mine_;        ///< the block that this rank read
  std::vector<std::byte> theirs_;      ///< the block that another one sent
  std::optional<ShardReader> reader_;  ///< one open file at a time, however many shards there are
  std::size_t reading_ = 0;
  std::string failure_;
};

}  // namespace lockstep::checkpoint
