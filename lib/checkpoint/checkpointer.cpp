#include "checkpoint/checkpointer.hpp"

#include <fmt/format.h>

#include <thread>

#include "checkpoint/agreement.hpp"
#include "checkpoint/catalog.hpp"
#include "checkpoint/commit.hpp"
#include "checkpoint/contents.hpp"
#include "checkpoint/manifest.hpp"
#include "checkpoint/plan.hpp"
#include "checkpoint/shard.hpp"
#include "core/deadline.hpp"
#include "core/error.hpp"
#include "os/file.hpp"

namespace lockstep::checkpoint {
namespace {

/// A folder that rank 0 has made may take a moment to show on another node of a network file
/// system.
void wait_for(const std::filesystem::path& folder) {
  using namespace std::chrono_literals;
  const Deadline deadline = Deadline::after(10s);
  while (!std::filesystem::exists(folder)) {
    if (deadline.passed()) {
      throw Error(ErrorKind::io,
                  fmt::format("{}, made by rank 0, did not show here within 10 s: is the run "
                              "directory on a file system that all nodes share?",
                              folder.string()));
    }
    std::this_thread::sleep_for(10ms);
  }
}

ShardReport write(const std::filesystem::path& folder, const ShardLayout& layout,
                  const Contents& contents, std::span<const std::byte> staging,
                  const Group& group) {
  ShardReport report{
      layout.image.file_bytes, layout.offsets, layout.text_offsets, {}, contents.fingerprint(), ""};
  try {
    wait_for(folder);
    report.block_crcs = write_shard(folder / shard_name(group.rank(), group.size()), staging);
  } catch (const std::exception& error) {
    report.failure = error.what();
  }
  return report;
}

std::uint64_t sum(const std::vector<std::string>& numbers) {
  std::uint64_t total = 0;
  for (const std::string& number : numbers) total += std::stoull(number);
  return total;
}

}  // namespace

Checkpointer::Checkpointer(std::filesystem::path root, Group& group, std::string token)
    : root_(std::move(root)), group_(group), token_(std::move(token)) {
  expect(!token_.empty() && token_.find('/') == std::string::npos,
         "a checkpoint token is part of a file name");
}

Saved Checkpointer::save(const Facts& facts, std::span<Saveable* const> state) {
  const Clock::time_point begun = Clock::now();
  const std::string what = fmt::format("the checkpoint of step {} was not saved", facts.step);
  const std::filesystem::path step = root_ / step_name(facts.step);
  const auto saved = [&](const std::string& bytes) {
    saved_ = step;
    return Saved{step, std::stoull(bytes), seconds(Clock::now() - begun)};
  };

  const std::string present = on_root(group_, what, [&] {
    os::make_folders(root_);
    sweep(root_);
    return is_present(step, token_) ? std::to_string(read_manifest(step).bytes()) : std::string();
  });
  if (!present.empty()) return saved(present);

  Contents contents;
  std::vector<Piece> pieces;
  ShardLayout layout;
  together(group_, what, [&] {
    for (Saveable* part : state) part->before_save();
    contents = contents_of(state);
    pieces = plan(contents.entries, contents.text_bytes(), group_.size());
    layout = layout_of(contents, pieces, group_.rank());
    fill(staging_, layout, contents);
  });

  const std::vector<std::string> sizes = group_.gather(std::to_string(layout.image.file_bytes));
  const std::filesystem::path temporary =
      on_root(group_, what, [&] { return begin(root_, facts.step, token_, sum(sizes)).string(); });
  const ShardReport mine = write(temporary, layout, contents, staging_, group_);
  const std::vector<std::string> reports = group_.gather(mine.to_text());
  return saved(on_root(group_, what, [&] {
    commit(temporary, facts, contents, pieces, reports);
    return std::to_string(sum(sizes));
  }));
}

std::optional<std::filesystem::path> Checkpointer::newest() {
  const std::string found = on_root(group_, "the newest checkpoint cannot be told", [&] {
    for (const std::filesystem::path& step : Catalog(root_).steps) {
      if (has_manifest(step)) return step.string();
    }
    return std::string();
  });
  return found.empty() ? std::nullopt : std::optional<std::filesystem::path>(found);
}

void Checkpointer::prune(int keep) {
  expect(keep >= 1, fmt::format("{} checkpoints cannot be kept: at least 1 must", keep));
  group_.barrier();  // everyone has read or written what it wanted
  if (group_.rank() == 0) prune_steps(root_, {keep, saved_}, token_);
}

}  // namespace lockstep::checkpoint
