#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "job/run_directory.hpp"
#include "os/file.hpp"
#include "os/host.hpp"

namespace lockstep::job {
namespace {

// While another start replaces a stale claim we wait, 5 s at most.
constexpr int kMostTries = 100;
constexpr std::chrono::milliseconds kPause{50};

struct Claim {
  std::string job;
  std::string host;
  os::ProcessId process;
};

std::string to_text(const Claim& claim) {
  const nlohmann::ordered_json json = {{"job", claim.job},
                                       {"host", claim.host},
                                       {"pid", claim.process.pid},
                                       {"start_time", claim.process.start_time}};
  return json.dump() + "\n";
}

// Nothing for a text that is no claim; only its age can tell then.
std::optional<Claim> from_text(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    return Claim{json.at("job").get<std::string>(),
                 json.at("host").get<std::string>(),
                 {json.at("pid").get<int>(), json.at("start_time").get<std::uint64_t>()}};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

// The owner may end while we look: nothing then.
std::optional<std::string> content_of(const std::filesystem::path& file) {
  try {
    return os::read_text(file);
  } catch (const Error&) {
    std::error_code failed;
    if (!std::filesystem::exists(file, failed) && !failed) return std::nullopt;
    throw;
  }
}

void touch(const std::filesystem::path& file) {
  constexpr std::array<struct timespec, 2> kNow = {{{0, UTIME_NOW}, {0, UTIME_NOW}}};
  if (::utimensat(AT_FDCWD, file.c_str(), kNow.data(), 0) == 0) return;
  throw Error(ErrorKind::io,
              fmt::format("{}: utimensat failed: {}", file.string(), std::strerror(errno)));
}

std::optional<std::chrono::seconds> age_of(const std::filesystem::path& file) {
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(file, failed);
  if (failed) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(
      std::filesystem::file_time_type::clock::now() - written);
}

bool is_stale(const std::optional<Claim>& claim, const std::string& our_job,
              std::chrono::seconds age, std::chrono::seconds stale_after) {
  // Its process tells more than the job: two mpiruns in one allocation have the same job.
  const bool can_look = claim && claim->host == os::host_name() && claim->process.start_time != 0;
  if (can_look) return !claim->process.is_alive();
  if (claim && !our_job.empty() && claim->job == our_job) return true;
  return age > stale_after;
}

std::string owner_text(const std::optional<Claim>& claim) {
  if (!claim) return "somebody whose claim cannot be read";
  return fmt::format("{} on {} (process {})",
                     claim->job.empty() ? "a run without a Slurm job" : "job " + claim->job,
                     claim->host, claim->process.pid);
}

// Replaces a stale claim by ours. Several starts may find it at once, so that one could remove what
// another has just put in its place: whoever makes the file named after the stale claim is the only
// one to replace it.
bool replace_stale(const std::filesystem::path& file, const std::string& stale,
                   const std::string& ours, std::chrono::seconds stale_after) {
  const std::filesystem::path turn =
      fmt::format("{}.takeover-{}", file.string(), hex(fnv1a(stale)));
  if (!os::publish_if_absent(turn, ours)) {
    const auto age = age_of(turn);
    if (age && *age > stale_after) std::filesystem::remove(turn);  // its maker died in the middle
    std::this_thread::sleep_for(kPause);
    return false;
  }
  const bool is_unchanged = content_of(file) == stale;
  if (is_unchanged) os::publish(file, ours);
  std::filesystem::remove(turn);
  return is_unchanged;
}

}  // namespace

Ownership::Ownership(const RunDirectory& directory, std::string job, Timing timing)
    : file_(directory.root() / "OWNER"),
      content_(to_text({job, os::host_name(), os::ProcessId::of(os::process_id())})),
      timing_(timing),
      last_touch_(std::chrono::steady_clock::now()) {
  os::make_folders(directory.root());
  for (int tries = 0; tries < kMostTries; ++tries) {
    if (os::publish_if_absent(file_, content_)) return;
    const std::optional<std::string> content = content_of(file_);
    const std::optional<std::chrono::seconds> age = age_of(file_);
    if (!content || !age) continue;
    const std::optional<Claim> claim = from_text(*content);
    if (!is_stale(claim, job, *age, timing_.stale_after)) {
      throw Error(ErrorKind::environment,
                  fmt::format("{} belongs to {}, which gave a sign of life {} s ago: end that run "
                              "first, or choose another "
                              "run.name; if it is surely gone, remove {}",
                              directory.root().string(), owner_text(claim),
                              std::max<std::int64_t>(age->count(), 0), file_.string()));
    }
    if (replace_stale(file_, *content, content_, timing_.stale_after)) {
      log::warn("{}: taken over from {}, which is gone", directory.root().string(),
                owner_text(claim));
      return;
    }
  }
  throw Error(
      ErrorKind::environment,
      fmt::format("{}: several runs start here at once; {} could not be claimed in {} tries",
                  directory.root().string(), file_.string(), kMostTries));
}

Ownership::~Ownership() {
  try {
    if (content_of(file_) == content_) std::filesystem::remove(file_);
  } catch (const std::exception& error) {
    log::error("the claim on a run directory stays behind: {}", error.what());
  }
}

void Ownership::refresh() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_touch_ < timing_.touch_every) return;
  last_touch_ = now;
  std::optional<std::string> content;
  try {
    content = content_of(file_);
    if (!content && os::publish_if_absent(file_, content_)) return;
    if (!content) content = content_of(file_);
    if (content == content_) touch(file_);
  } catch (const Error& error) {
    // A file server that hiccups is no reason to end a training; the next sign of life is due soon.
    log::warn("the claim on the run directory could not be renewed: {}", error.what());
    return;
  }
  if (content == content_) return;
  throw Error(ErrorKind::environment,
              fmt::format("{} was taken over by {} while this run gave no sign of life; it ends, "
                          "so that only one writes",
                          file_.parent_path().string(),
                          owner_text(content ? from_text(*content) : std::nullopt)));
}

}  // namespace lockstep::job
