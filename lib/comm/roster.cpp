#include "comm/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lockstep::comm {
namespace {

constexpr std::size_t kMostListed = 8;

}  // namespace

Roster::Roster(std::vector<Member> members, int own_rank)
    : members_(std::move(members)), own_rank_(own_rank) {
  for (int rank = 0; rank < size(); ++rank) {
    const Member& member = members_[static_cast<std::size_t>(rank)];
    if (rank == own_rank_ || member.peer.host != peer(own_rank_).host) continue;
    const os::ProcessId process{member.peer.pid, member.start_time};
    if (process.start_time != 0 && process.is_alive()) neighbours_.emplace_back(rank, process);
  }
}

Roster Roster::gather(const mpi::Comm& peers) {
  const os::ProcessId self = os::ProcessId::of(os::process_id());
  const nlohmann::json mine = {
      {"host", os::host_name()}, {"pid", self.pid}, {"start", self.start_time}};
  std::vector<Member> members;
  for (const std::string& text : peers.all_gather_text(mine.dump())) {
    const auto other = nlohmann::json::parse(text);
    members.push_back({{other.at("host").get<std::string>(), other.at("pid").get<int>()},
                       other.at("start").get<std::uint64_t>()});
  }
  return {std::move(members), peers.rank()};
}

std::string Roster::name(int rank) const {
  return fmt::format("rank {} on {}", rank, peer(rank).host);
}

std::string Roster::list(const std::vector<int>& ranks) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostListed); ++i) {
    text += fmt::format("{}{} (pid {})", i == 0 ? "" : ", ", name(ranks[i]), peer(ranks[i]).pid);
  }
  if (ranks.size() > kMostListed) text += fmt::format(" and {} more", ranks.size() - kMostListed);
  return text;
}

std::optional<int> Roster::find_gone() const {
  for (const auto& [rank, process] : neighbours_) {
    if (!process.is_alive()) return rank;
  }
  return std::nullopt;
}

std::optional<int> Roster::find_stopped() const {
  for (const auto& [rank, process] : neighbours_) {
    if (process.is_stopped()) return rank;
  }
  return std::nullopt;
}

}  // namespace lockstep::comm
