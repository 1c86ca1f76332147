#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.hpp"
#include "core/log.hpp"
#include "job/run_directory.hpp"
#include "os/file.hpp"
#include "os/host.hpp"

namespace lockstep::job {
namespace {

// Two starts that both find a stale claim; each round one of them wins.
constexpr int kMostTries = 10;

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

// Between the look at a stale claim and its removal somebody else may have removed it and claimed:
// so it is moved aside first, looked at again, and put back if it is not the one that was stale.
void remove_stale(const std::filesystem::path& file, const std::string& content) {
  const std::filesystem::path aside =
      fmt::format("{}.stale-{}-{}", file.string(), os::host_name(), os::process_id());
  if (::rename(file.c_str(), aside.c_str()) != 0) {
    if (errno == ENOENT) return;
    throw Error(ErrorKind::io,
                fmt::format("{}: rename failed: {}", file.string(), std::strerror(errno)));
  }
  const std::optional<std::string> moved = content_of(aside);
  if (moved && *moved != content) os::publish_if_absent(file, *moved);
  std::filesystem::remove(aside);
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
    log::warn("{}: taking over from {}, which is gone", directory.root().string(),
              owner_text(claim));
    remove_stale(file_, *content);
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
  const std::optional<std::string> content = content_of(file_);
  const bool is_ours = content ? *content == content_ : os::publish_if_absent(file_, content_);
  if (!is_ours) {
    const std::optional<Claim> claim = content ? from_text(*content) : std::nullopt;
    throw Error(ErrorKind::environment,
                fmt::format("{} was taken over by {} while this run gave no sign of life; it ends, "
                            "so that only one writes",
                            file_.parent_path().string(), owner_text(claim)));
  }
  constexpr std::array<struct timespec, 2> kNow = {{{0, UTIME_NOW}, {0, UTIME_NOW}}};
  if (::utimensat(AT_FDCWD, file_.c_str(), kNow.data(), 0) != 0) {
    // A file server that hiccups is no reason to end a training; the next sign of life is due soon.
    log::warn("{}: utimensat failed: {}", file_.string(), std::strerror(errno));
  }
}

}  // namespace lockstep::job
