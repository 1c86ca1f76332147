#include <fmt/format.h>

#include "checkpoint/catalog.hpp"
#include "checkpoint/commit.hpp"
#include "checkpoint/manifest.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "os/file.hpp"

namespace lockstep::checkpoint {
namespace {

/// Steps that may go. One whose manifest or sizes do not hold neither counts nor goes: it is
/// somebody's to look at.
std::vector<std::filesystem::path> victims(const std::filesystem::path& root,
                                           const Retention& retention) {
  std::vector<std::filesystem::path> removable;
  int kept = 0;
  bool has_finite = false;
  for (const std::filesystem::path& step : Catalog(root).steps) {
    bool is_finite = false;
    try {
      is_finite = read_manifest(step).facts.is_finite;
    } catch (const Error&) {
      continue;
    }
    const bool is_last_finite = is_finite && !has_finite;
    has_finite = has_finite || is_finite;
    // Newer ones may be spoilt inside, which only reading them would tell: what was just saved
    // stays.
    if (kept < retention.keep || is_last_finite || step == retention.always) {
      ++kept;
    } else {
      removable.push_back(step);
    }
  }
  return removable;
}

}  // namespace

void prune_steps(const std::filesystem::path& root, const Retention& retention,
                 const std::string& token) {
  try {
    for (const std::filesystem::path& step : victims(root, retention)) {
      const std::filesystem::path trash =
          root / fmt::format(".trash-{}-{}", step.filename().string(), token);
      os::rename_durably(step, trash);  // a removal that is cut short leaves no half step
      discard(trash);
    }
    sweep(root);
  } catch (const std::exception& error) {
    log::warn("old checkpoints could not be removed: {}", error.what());
  }
}

}  // namespace lockstep::checkpoint
