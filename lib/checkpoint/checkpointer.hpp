#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/facts.hpp"
#include "checkpoint/group.hpp"
#include "checkpoint/saveable.hpp"

namespace lockstep::checkpoint {

struct Saved {
  std::filesystem::path path;
  std::uint64_t bytes = 0;  ///< over all ranks
  double seconds = 0;       ///< of this rank, commit included
};

struct PassedOver {
  std::filesystem::path path;
  std::string why;  ///< names file, tensor and block where it can
};

struct Loaded {
  Facts facts;
  std::filesystem::path path;
  int world = 1;  ///< ranks that wrote it
  Restored how = Restored::exact;
  std::vector<PassedOver> passed_over;
};

/// Saves and loads steps of one run directory; see checkpoints/FORMAT.md. All calls are collective
/// over the group, and every rank returns or throws together. Rank 0 alone names, renames and
/// deletes.
class Checkpointer {
 public:
  /// `token` makes temporary names unique: an earlier attempt that still runs can neither overwrite
  /// nor commit.
  Checkpointer(std::filesystem::path root, Group& group, std::string token);

  /// Writes and commits `step-%09d`. Throws Error{io} on every rank if any rank could not write;
  /// what was committed before stays untouched, and the temporary folder is swept.
  Saved save(const Facts& facts, std::span<Saveable* const> state);

  /// Loads the newest step that verifies into `state`. Nothing there: nullopt. Bytes there but none
  /// usable: Error{io} with the list of what was passed over.
  std::optional<Loaded> load_newest(std::span<Saveable* const> state);
  /// Loads exactly this step directory, or throws Error{io}.
  Loaded load(const std::filesystem::path& step, std::span<Saveable* const> state);
  /// The newest committed step whose manifest and sizes hold (blocks unread); the same on every
  /// rank.
  std::optional<std::filesystem::path> newest();

  /// Removes all but the last `keep` (>= 1) verified steps, never the newest, never the last one
  /// with finite weights, and leftovers of dead attempts. Rank 0 acts, after a barrier.
  void prune(int keep);

 private:
  std::filesystem::path root_;
  Group& group_;
  std::string token_;
  std::filesystem::path saved_;  ///< the last step that this one committed: prune() never takes it
  std::vector<std::byte>
      staging_;  ///< this rank's file on its way to the disk; kept, as fresh memory is slow
};

}  // namespace lockstep::checkpoint
