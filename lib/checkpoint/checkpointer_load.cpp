#include <fmt/format.h>

#include <sstream>
#include <variant>

#include "checkpoint/agreement.hpp"
#include "checkpoint/catalog.hpp"
#include "checkpoint/checkpointer.hpp"
#include "checkpoint/contents.hpp"
#include "checkpoint/manifest.hpp"
#include "checkpoint/match.hpp"
#include "checkpoint/restore.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "os/file.hpp"

namespace lockstep::checkpoint {
namespace {

using WhyNot = std::string;

void expect_own_number(const std::filesystem::path& step, const Manifest& manifest) {
  const auto number = parse_step_name(step.filename().string());
  if (number.value_or(manifest.facts.step) != manifest.facts.step) {
    throw Error(ErrorKind::io, fmt::format("{} is of step {}", kManifestName, manifest.facts.step));
  }
}

/// Rank 0 looks, and all ranks get what it saw: two nodes need not see the same files at the same
/// time.
std::variant<Manifest, WhyNot> look(Group& group, const std::filesystem::path& step) {
  std::string seen;
  if (group.rank() == 0) {
    try {
      expect_own_number(step, read_manifest(step));
      seen = fmt::format("+{}", os::read_text(step / kManifestName));
      (void)Manifest::parse(std::string_view(seen).substr(1));
    } catch (const std::exception& error) {
      seen = fmt::format("-{}", error.what());
    }
  }
  seen = group.broadcast(seen);
  if (seen.front() == '-') return seen.substr(1);
  return Manifest::parse(std::string_view(seen).substr(1));
}

/// Everything of one step into `state`, or why it cannot be used. A step of another configuration
/// throws: an older one would not fit better.
std::variant<Loaded, WhyNot> load_step(Group& group, const std::filesystem::path& step,
                                       const Contents& contents) {
  const auto seen = look(group, step);
  if (const auto* why = std::get_if<WhyNot>(&seen)) return *why;
  const auto& manifest = std::get<Manifest>(seen);
  const Restored how = manifest.world == group.size() ? Restored::exact : Restored::elastic;
  together(group, step.string(), [&] { expect_match(manifest, contents, how); });

  Restore restore(group, step, manifest, contents);
  if (const auto why = restore.run()) return *why;
  const std::vector<std::string> texts = restore.texts();
  together(group, fmt::format("{} was read, but not taken", step.string()), [&] {
    for (std::size_t i = 0; i < texts.size(); ++i) contents.parts[i]->after_load(texts[i], how);
  });
  return Loaded{manifest.facts, step, manifest.world, how, {}};
}

Contents contents_on_all(Group& group, std::span<Saveable* const> state) {
  Contents contents;
  together(group, "no checkpoint can be loaded", [&] { contents = contents_of(state); });
  return contents;
}

/// Names of what may be a checkpoint, a line each, newest first.
std::string candidates(const std::filesystem::path& root) {
  const Catalog catalog(root);
  for (const std::filesystem::path& folder : catalog.temporary) {
    log::warn("{} is a save that was never committed: passed over", folder.string());
  }
  std::string names;
  for (const auto& step : catalog.steps) names += step.filename().string() + "\n";
  // Moved aside by us, so no checkpoint any more, but a fresh start would hide that there was one.
  for (const auto& bad : catalog.moved_aside) names += bad.filename().string() + "\n";
  return names;
}

}  // namespace

std::optional<Loaded> Checkpointer::load_newest(std::span<Saveable* const> state) {
  const Contents contents = contents_on_all(group_, state);
  std::istringstream names(on_root(group_, fmt::format("{} cannot be looked at", root_.string()),
                                   [&] { return candidates(root_); }));
  std::vector<PassedOver> passed_over;
  for (std::string name; std::getline(names, name);) {
    const std::filesystem::path step = root_ / name;
    if (!parse_step_name(name)) {
      passed_over.push_back({step, "it did not verify when its step was saved again"});
      continue;
    }
    auto result = load_step(group_, step, contents);
    if (auto* loaded = std::get_if<Loaded>(&result)) {
      loaded->passed_over = std::move(passed_over);
      return std::move(*loaded);
    }
    passed_over.push_back({step, std::get<WhyNot>(result)});
    log::warn("{} cannot be used: {}", step.string(), passed_over.back().why);
  }
  if (passed_over.empty()) return std::nullopt;
  std::string list;
  for (const PassedOver& step : passed_over)
    list += fmt::format("\n  {}: {}", step.path.string(), step.why);
  throw CollectiveError(
      ErrorKind::io,
      fmt::format("{} holds checkpoints, but none that can be used; to start anew, move them "
                  "away or choose another run.name:{}",
                  root_.string(), list));
}

Loaded Checkpointer::load(const std::filesystem::path& step, std::span<Saveable* const> state) {
  const Contents contents = contents_on_all(group_, state);
  auto result = load_step(group_, step, contents);
  if (auto* loaded = std::get_if<Loaded>(&result)) return std::move(*loaded);
  throw CollectiveError(
      ErrorKind::io, fmt::format("{} cannot be used: {}", step.string(), std::get<WhyNot>(result)));
}

}  // namespace lockstep::checkpoint
