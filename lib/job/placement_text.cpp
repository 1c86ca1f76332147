#include <fmt/chrono.h>
#include <fmt/format.h>

#include <string>

#include "job/placement.hpp"

namespace lockstep::job {
namespace {

template <typename T>
std::string line(std::string_view what, const T& value, const std::string& from) {
  return fmt::format("{:<14}{}  ({})\n", what, value, from.empty() ? "default" : from);
}

std::string joined(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 16;
  if (words.empty()) return "-";
  if (words.size() <= kMost) return fmt::format("{}", fmt::join(words, ","));
  return fmt::format("{},... {} in all", fmt::join(words.begin(), words.begin() + kMost, ","),
                     words.size());
}

std::string time_text(const std::optional<std::chrono::system_clock::time_point>& time) {
  if (!time) return "-";
  const auto seconds = std::chrono::time_point_cast<std::chrono::seconds>(*time);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

}  // namespace

std::string_view name(Launcher launcher) noexcept {
  switch (launcher) {
    case Launcher::alone:
      return "alone";
    case Launcher::srun:
      return "srun";
    case Launcher::mpirun:
      return "mpirun";
  }
  return "unknown";
}

std::string describe(const Placement& placement) {
  std::string text;
  text += line("launcher", name(placement.launcher.value), placement.launcher.from);
  text += line("rank", placement.rank.value, placement.rank.from);
  text += line("size", placement.size.value, placement.size.from);
  text += line("local_rank", placement.local_rank.value, placement.local_rank.from);
  text += line("local_size", placement.local_size.value, placement.local_size.from);
  text += line("node", placement.node.value, placement.node.from);
  text += line("nodes", joined(placement.nodes.value), placement.nodes.from);
  text += line("head_node", placement.nodes.value.empty() ? "-" : placement.head_node(),
               placement.nodes.from);
  text += line("devices", joined(placement.devices.value), placement.devices.from);
  text += line("deadline", time_text(placement.deadline.value), placement.deadline.from);
  text += line("restart_count", placement.restart_count.value, placement.restart_count.from);
  text += line("job", placement.job.value.empty() ? "-" : placement.job.value, placement.job.from);
  text += line("cpus_per_task", placement.cpus_per_task.value, placement.cpus_per_task.from);
  for (const std::string& notice : placement.notices)
    text += fmt::format("{:<14}{}\n", "notice", notice);
  return text;
}

}  // namespace lockstep::job
