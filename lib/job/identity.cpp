#include "job/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace lockstep::job {
namespace {

// A job may have thousands of ranks; the first few tell it all.
constexpr std::size_t kMostNamed = 8;

std::string who(const RankFacts& rank) {
  return fmt::format("rank {} on {}", rank.mpi_rank, rank.host);
}

std::string listed(const std::vector<std::string>& words) {
  const std::size_t shown = std::min(words.size(), kMostNamed);
  std::string text = fmt::format(
      "{}", fmt::join(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (words.size() > shown) text += fmt::format(" and {} more", words.size() - shown);
  return text;
}

// One sentence for all ranks to which `differs` applies.
template <typename Differs, typename Show>
void report_ranks(std::span<const RankFacts> ranks, Differs differs, Show show,
                  std::string_view head, std::string_view fix, std::vector<std::string>& problems) {
  std::vector<std::string> shown;
  for (const RankFacts& rank : ranks) {
    if (differs(rank)) shown.push_back(show(rank));
  }
  if (!shown.empty()) problems.push_back(fmt::format("{}: {}; {}", head, listed(shown), fix));
}

void check_sizes(std::span<const RankFacts> ranks, std::vector<std::string>& problems) {
  report_ranks(
      ranks, [](const RankFacts& rank) { return rank.mpi_size != rank.launcher_size; },
      [](const RankFacts& rank) {
        return fmt::format("{} ({} says {}, MPI says {})", who(rank), rank.launcher,
                           rank.launcher_size, rank.mpi_size);
      },
      "the launcher and MPI count different numbers of ranks",
      "start all ranks with one `srun --mpi=pmix` or one mpirun of the MPI that the program was "
      "built with",
      problems);
}

void check_ranks(std::span<const RankFacts> ranks, std::vector<std::string>& problems) {
  report_ranks(
      ranks,
      [](const RankFacts& rank) {
        return rank.mpi_size == rank.launcher_size && rank.mpi_rank != rank.launcher_rank;
      },
      [](const RankFacts& rank) {
        return fmt::format("{} ({} says {})", who(rank), rank.launcher, rank.launcher_rank);
      },
      "the launcher and MPI number the ranks differently",
      "variables of an outer step or mpirun were inherited: start from a clean environment",
      problems);
}

void check_devices(std::span<const RankFacts> ranks, std::vector<std::string>& problems) {
  // By host too: an identity that is unique everywhere is the UUID's promise, not ours.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> users;
  for (const RankFacts& rank : ranks) {
    if (rank.device == "cpu" || rank.device.empty()) continue;
    users[{rank.host, rank.device}].push_back(fmt::format("{}", rank.mpi_rank));
  }
  for (const auto& [device, sharing] : users) {
    if (sharing.size() < 2) continue;
    problems.push_back(fmt::format(
        "ranks {} on {} share the accelerator {}; give each rank its own: --gpus-per-node=N with "
        "--ntasks-per-node=N, and no --gpu-bind that binds several ranks to one",
        listed(sharing), device.first, device.second));
  }
}

void check_peers(std::span<const RankFacts> ranks, std::vector<std::string>& problems) {
  report_ranks(
      ranks, [](const RankFacts& rank) { return rank.local_peers < rank.local_size; },
      [](const RankFacts& rank) {
        return fmt::format("{} (sees {} of {})", who(rank), rank.local_peers, rank.local_size);
      },
      "ranks of one node do not see each other's memory",
      "containers must share /dev/shm and the IPC and PID namespaces of the node, or be one a node",
      problems);
}

struct Hashed {
  std::string_view what;
  std::string_view fix;
  std::string RankFacts::*hash;
};

void check_hash(std::span<const RankFacts> ranks, const Hashed& hashed,
                std::vector<std::string>& problems) {
  std::map<std::string, std::size_t> votes;
  for (const RankFacts& rank : ranks) ++votes[rank.*hashed.hash];
  if (votes.size() < 2) return;
  // On a tie rank 0's is the one to compare with.
  std::string majority = ranks.front().*hashed.hash;
  for (const auto& [hash, count] : votes) {
    if (count > votes[majority]) majority = hash;
  }
  report_ranks(
      ranks, [&](const RankFacts& rank) { return rank.*hashed.hash != majority; },
      [&](const RankFacts& rank) { return fmt::format("{} ({})", who(rank), rank.*hashed.hash); },
      fmt::format("not all ranks have the same {}: {} of {} have {}, but not", hashed.what,
                  votes[majority], ranks.size(), majority),
      hashed.fix, problems);
}

}  // namespace

std::string RankFacts::to_text() const {
  const nlohmann::ordered_json json = {{"mpi_rank", mpi_rank},
                                       {"mpi_size", mpi_size},
                                       {"launcher_rank", launcher_rank},
                                       {"launcher_size", launcher_size},
                                       {"launcher", launcher},
                                       {"local_peers", local_peers},
                                       {"local_size", local_size},
                                       {"host", host},
                                       {"pid", pid},
                                       {"device", device},
                                       {"program", program},
                                       {"config", config}};
  return json.dump();
}

RankFacts RankFacts::from_text(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    RankFacts facts;
    json.at("mpi_rank").get_to(facts.mpi_rank);
    json.at("mpi_size").get_to(facts.mpi_size);
    json.at("launcher_rank").get_to(facts.launcher_rank);
    json.at("launcher_size").get_to(facts.launcher_size);
    json.at("launcher").get_to(facts.launcher);
    json.at("local_peers").get_to(facts.local_peers);
    json.at("local_size").get_to(facts.local_size);
    json.at("host").get_to(facts.host);
    json.at("pid").get_to(facts.pid);
    json.at("device").get_to(facts.device);
    json.at("program").get_to(facts.program);
    json.at("config").get_to(facts.config);
    return facts;
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ErrorKind::environment,
        fmt::format(
            "a rank sent facts that cannot be read ({}); do all ranks run the same program?",
            error.what()));
  }
}

std::string singleton_problem(const RankFacts& mine) {
  if (mine.mpi_size != 1 || mine.launcher_size <= 1) return "";
  const std::string head = fmt::format(
      "MPI sees only this process (rank 0 of 1), but {} started {} (this is {} of them, pid {} on "
      "{})",
      mine.launcher, mine.launcher_size, mine.launcher_rank, mine.pid, mine.host);
  if (mine.launcher == "mpirun") {
    return head +
           ": this mpirun is not of the MPI that the program was built with; use that one (compare "
           "`which mpirun` with "
           "`ldd` of the program), or `srun --mpi=pmix` where `srun --mpi=list` names pmix";
  }
  return head +
         ": MPI did not reach Slurm's PMIx; see what `srun --mpi=list` names, then start with "
         "`srun --mpi=pmix`, or with "
         "mpirun in the batch script (in a shell inside a step, from `srun --pty`, nothing else "
         "starts several ranks)";
}

std::vector<std::string> identity_problems(std::span<const RankFacts> ranks) {
  std::vector<std::string> problems;
  if (ranks.empty()) return problems;
  check_sizes(ranks, problems);
  check_ranks(ranks, problems);
  check_devices(ranks, problems);
  check_peers(ranks, problems);
  check_hash(ranks, {"program", "install one build where all nodes see it", &RankFacts::program},
             problems);
  check_hash(
      ranks,
      {"configuration",
       "give all ranks the same file and the same --set, on a file system that all nodes share",
       &RankFacts::config},
      problems);
  return problems;
}

}  // namespace lockstep::job
