#include "checkpoint/commit.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "checkpoint/catalog.hpp"
#include "checkpoint/manifest.hpp"
#include "checkpoint/shard_reader.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/units.hpp"
#include "os/file.hpp"

namespace lockstep::checkpoint {
namespace {

Manifest manifest_of(const Facts& facts, const Contents& contents, const std::vector<Piece>& plan,
                     const std::vector<ShardReport>& reports) {
  Manifest manifest;
  manifest.facts = facts;
  manifest.world = static_cast<int>(reports.size());
  for (int rank = 0; rank < manifest.world; ++rank) {
    const ShardReport& report = reports[static_cast<std::size_t>(rank)];
    manifest.files.push_back({shard_name(rank, manifest.world), report.bytes, report.block_crcs});
  }
  for (std::size_t i = 0; i < contents.parts.size(); ++i) {
    manifest.texts.push_back(
        {text_path(*contents.parts[i]), reports.front().text_offsets.at(i), kTextCapacity});
  }
  for (const Entry& entry : contents.entries) manifest.tensors.push_back({entry, {}});
  std::vector<std::size_t> used(
      reports.size());  // a rank's offsets are in the order of its pieces in the plan
  for (const Piece& piece : plan) {
    const auto rank = static_cast<std::size_t>(piece.rank);
    manifest.tensors[piece.entry].pieces.push_back(
        {piece.rank, reports[rank].offsets.at(used[rank]++), piece.start, piece.rows});
  }
  return manifest;
}

std::vector<ShardReport> parsed(const std::vector<std::string>& texts) {
  std::vector<ShardReport> reports;
  for (const std::string& text : texts) reports.push_back(ShardReport::parse(text));
  return reports;
}

/// Throws one sentence for all ranks whose shard failed; states that are not alike are a defect.
void expect_all_written(const std::vector<ShardReport>& reports) {
  std::string failures;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank].failure.empty()) continue;
    failures +=
        fmt::format("{}rank {}: {}", failures.empty() ? "" : "; ", rank, reports[rank].failure);
  }
  if (!failures.empty()) throw Error(ErrorKind::io, failures);
  for (std::size_t rank = 1; rank < reports.size(); ++rank) {
    expect(reports[rank].fingerprint == reports[0].fingerprint,
           fmt::format("rank {} has other tensors (names, types or shapes) than rank 0", rank));
  }
}

std::filesystem::path unused(const std::filesystem::path& wanted) {
  std::filesystem::path path = wanted;
  for (int n = 2; std::filesystem::exists(path); ++n)
    path = fmt::format("{}-{}", wanted.string(), n);
  return path;
}

}  // namespace

bool is_present(const std::filesystem::path& step, const std::string& token) {
  if (!std::filesystem::exists(step)) return false;
  try {
    verify_blocks(step, read_manifest(step));
    return true;
  } catch (const Error& error) {
    const std::filesystem::path aside = unused(fmt::format("{}.bad-{}", step.string(), token));
    os::rename_durably(step, aside);
    log::warn("{} did not verify and is now {}: {}", step.string(), aside.filename().string(),
              error.what());
    return false;
  }
}

void discard(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::remove_all(folder, code);
  if (code) log::warn("{} could not be removed: {}", folder.string(), code.message());
}

void sweep(const std::filesystem::path& root) {
  const Catalog catalog(root);
  for (const std::filesystem::path& folder : catalog.temporary) discard(folder);
  for (const std::filesystem::path& folder : catalog.trash) discard(folder);
}

std::filesystem::path begin(const std::filesystem::path& root, std::int64_t step,
                            const std::string& token, std::uint64_t bytes) {
  const std::uint64_t free = os::free_bytes(root);
  if (free < bytes) {
    throw Error(ErrorKind::io,
                fmt::format("{} has {} free, but the checkpoint needs {}: make room or lower "
                            "checkpoint.keep",
                            root.string(), units::bytes(free), units::bytes(bytes)));
  }
  const std::filesystem::path temporary = root / fmt::format("{}.tmp-{}", step_name(step), token);
  if (::mkdir(temporary.c_str(), 0777) != 0) {
    throw Error(ErrorKind::io,
                fmt::format("{}: mkdir failed: {}", temporary.string(), std::strerror(errno)));
  }
  os::sync_folder(root);
  return temporary;
}

void commit(const std::filesystem::path& temporary, const Facts& facts, const Contents& contents,
            const std::vector<Piece>& plan, const std::vector<std::string>& reports) {
  const std::filesystem::path root = temporary.parent_path();
  const std::filesystem::path step = root / step_name(facts.step);
  try {
    const std::vector<ShardReport> shards = parsed(reports);
    expect_all_written(shards);
    os::publish(temporary / kManifestName, manifest_of(facts, contents, plan, shards).to_text());
    os::rename_durably(temporary, step);  // the commit point
  } catch (const std::exception&) {
    discard(temporary);
    throw;
  }
  try {
    os::publish(root / "LATEST", step.filename().string() + "\n");
  } catch (const Error& error) {  // people read it, we do not: the step is committed
    log::warn("{}", error.what());
  }
}

}  // namespace lockstep::checkpoint
