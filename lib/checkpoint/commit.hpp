#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/contents.hpp"
#include "checkpoint/facts.hpp"
#include "checkpoint/plan.hpp"
#include "checkpoint/shard.hpp"

/// What rank 0 does alone: names, renames and removes folders. Nothing here communicates.
namespace lockstep::checkpoint {

/// What a rank tells rank 0 about its shard.
struct ShardReport {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> text_offsets;
  std::vector<std::uint32_t> block_crcs;
  std::uint64_t fingerprint = 0;  ///< of the rank's Contents
  std::string failure;            ///< empty: the shard is written, synced and closed

  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] static ShardReport parse(const std::string& text);
};

/// Whether `step` is there and verifies in full. If it is there and does not, it is moved aside to
/// "step-NNN.bad-TOKEN" and a warning says why.
[[nodiscard]] bool is_present(const std::filesystem::path& step, const std::string& token);

/// Removes what earlier saves and removals left: a run directory has one live owner, so nobody
/// works there.
void sweep(const std::filesystem::path& root);

/// Makes a new temporary folder for `bytes` bytes and syncs `root`. Throws Error{io} if there is
/// too little room.
[[nodiscard]] std::filesystem::path begin(const std::filesystem::path& root, std::int64_t step,
                                          const std::string& token, std::uint64_t bytes);

/// If all ranks have written: the manifest into `temporary`, and the one rename that makes it a
/// step. Else `temporary` is removed and an Error{io} names the ranks and their reasons. `reports`
/// are ShardReports.
void commit(const std::filesystem::path& temporary, const Facts& facts, const Contents& contents,
            const std::vector<Piece>& plan, const std::vector<std::string>& reports);

/// Removes a folder of ours; what cannot be removed is a warning.
void discard(const std::filesystem::path& folder);

/// How many steps stay, and one that stays in any case (may be empty).
struct Retention {
  int keep;
  std::filesystem::path always;
};
/// See Checkpointer::prune. What cannot be removed is a warning.
void prune_steps(const std::filesystem::path& root, const Retention& retention,
                 const std::string& token);

}  // namespace lockstep::checkpoint
