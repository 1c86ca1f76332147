#include "train/launch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "core/crc32c.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "device/device.hpp"
#include "os/file.hpp"
#include "os/host.hpp"

namespace lockstep::train {
namespace {

std::string program_hash() {
  const std::string text = os::read_text(os::program_path());
  return fmt::format("{:08x}", crc32c(std::as_bytes(std::span(text))));
}

job::RankFacts facts_of(const mpi::Comm& world, const job::Placement& placement,
                        const Launch& launch, const std::string& config_hash) {
  return {.mpi_rank = world.rank(),
          .mpi_size = world.size(),
          .launcher_rank = placement.rank.value,
          .launcher_size = placement.size.value,
          .launcher = std::string(name(placement.launcher.value)),
          .local_peers = launch.local_ranks,
          .local_size = placement.local_size.value,
          .host = os::host_name(),
          .pid = os::process_id(),
          .device = device::identity(launch.device).uuid,
          .program = program_hash(),
          .config = config_hash};
}

// A mask that holds the whole machine is shared by all ranks of the node; a smaller one is this
// rank's own.
int own_cores(const Launch& launch) {
  const int usable = os::usable_cores();
  const bool is_shared = usable >= ::sysconf(_SC_NPROCESSORS_ONLN);
  return std::max(1, is_shared ? usable / std::max(1, launch.local_ranks) : usable);
}

}  // namespace

Launch gather_launch(const mpi::Comm& world, job::Placement placement,
                     const std::string& config_hash) {
  Launch launch{.placement = std::move(placement), .ranks = {}};
  launch.local_ranks = world.split_by_node().size();
  if (const int visible = device::visible_count(); visible > 0)
    launch.device = job::device_index(launch.placement, visible);
  const job::RankFacts mine = facts_of(world, launch.placement, launch, config_hash);
  if (const std::string problem = job::singleton_problem(mine); !problem.empty()) {
    throw Error(ErrorKind::environment, problem);
  }
  for (const std::string& text : world.all_gather_text(mine.to_text()))
    launch.ranks.push_back(job::RankFacts::from_text(text));
  return launch;
}

void check_launch(const Launch& launch) {
  const std::vector<std::string> problems = job::identity_problems(launch.ranks);
  if (!problems.empty())
    throw CollectiveError(ErrorKind::environment, fmt::format("{}", fmt::join(problems, "\n")));
}

std::string describe(const Launch& launch, int rank) {
  const job::RankFacts& facts = launch.ranks[static_cast<std::size_t>(rank)];
  return fmt::format(
      "{}mpi           rank {} of {}, {} rank(s) on this node\nhost          {} (pid {})\ndevice   "
      "     {}\n",
      job::describe(launch.placement), facts.mpi_rank, facts.mpi_size, facts.local_peers,
      facts.host, facts.pid, facts.device);
}

int threads_of(const Launch& launch, std::optional<std::int64_t> setting) {
  if (setting) return static_cast<int>(*setting);
  return own_cores(launch);
}

comm::Overlap overlap_of(const Launch& launch, comm::Overlap setting, int threads) {
  if (setting != comm::Overlap::automatic) return setting;
  return own_cores(launch) > threads ? comm::Overlap::thread : comm::Overlap::in_line;
}

}  // namespace lockstep::train
