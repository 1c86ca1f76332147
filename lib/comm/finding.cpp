#include "comm/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/units.hpp"

namespace lockstep::comm {
namespace {

struct Groups {
  std::vector<int> silent;
  std::vector<int> elsewhere;
};

Groups group(const Roster& roster, const Position& mine, const Answers& answers) {
  Groups groups;
  for (int rank = 0; rank < roster.size(); ++rank) {
    if (rank == roster.own_rank()) continue;
    const std::optional<Position>& answer = answers.at(static_cast<std::size_t>(rank));
    if (!answer) {
      groups.silent.push_back(rank);
    } else if (!answer->is_with(mine)) {
      groups.elsewhere.push_back(rank);
    }
  }
  // The one furthest behind holds up the rest.
  std::ranges::stable_sort(groups.elsewhere, {}, [&](int rank) {
    return answers[static_cast<std::size_t>(rank)]->sequence;
  });
  return groups;
}

std::string describe_elsewhere(const Roster& roster, const Position& mine, int rank,
                               const Position& there) {
  const std::string_view relation = there.sequence < mine.sequence   ? "is behind"
                                    : there.sequence > mine.sequence ? "is ahead"
                                                                     : "is elsewhere";
  return fmt::format("{} {}: in {}", roster.list({rank}), relation, there.text());
}

}  // namespace

PeerError explain_late(const Roster& roster, const Position& mine, Clock::duration waited,
                       const Answers& answers) {
  const Groups groups = group(roster, mine, answers);
  const std::string wait = fmt::format("rank {} waited {} in {}", roster.own_rank(),
                                       units::duration(waited), mine.text());
  if (groups.silent.empty() && groups.elsewhere.empty()) {
    return {-1, "",
            fmt::format("{}, all ranks are there and yet it does not complete: suspect the network "
                        "between them and run "
                        "preflight-fabric",
                        wait)};
  }
  std::string text;
  if (!groups.silent.empty()) {
    text =
        fmt::format("{} did not come and {} not answer (stopped, stuck or dead: look at its log)",
                    roster.list(groups.silent), groups.silent.size() == 1 ? "does" : "do");
  }
  if (!groups.elsewhere.empty()) {
    const int rank = groups.elsewhere.front();
    text += fmt::format(
        "{}{}", text.empty() ? "" : ", ",
        describe_elsewhere(roster, mine, rank, *answers[static_cast<std::size_t>(rank)]));
    if (groups.elsewhere.size() > 1)
      text += fmt::format(", and {} more are not there", groups.elsewhere.size() - 1);
  }
  const int culprit = groups.silent.empty() ? groups.elsewhere.front() : groups.silent.front();
  return {culprit, roster.name(culprit), fmt::format("{}: {}", wait, text)};
}

PeerError explain_gone(const Roster& roster, const Position& mine, int gone) {
  return {gone, roster.name(gone),
          fmt::format("{} is gone: it ended while rank {} waited in {}; its own log says why",
                      roster.list({gone}), roster.own_rank(), mine.text())};
}

PeerError explain_mismatch(const Roster& roster, const std::vector<Position>& positions) {
  std::map<std::string, std::vector<int>> by_call;
  for (int rank = 0; rank < roster.size(); ++rank) {
    const Position& position = positions.at(static_cast<std::size_t>(rank));
    by_call[position.text()].push_back(rank);
  }
  std::vector<std::pair<std::string, std::vector<int>>> groups(by_call.begin(), by_call.end());
  // The most are taken as right; of equal halves the one with the lowest rank, because that one is
  // looked at first.
  std::ranges::sort(groups, {}, [](const auto& group) {
    return std::pair(-std::ssize(group.second), group.second.front());
  });
  expect(groups.size() > 1, "a mismatch shows in the texts of the calls");
  const auto& [right_call, right] = groups.front();
  const auto& [wrong_call, wrong] = groups.back();
  return {wrong.front(), roster.name(wrong.front()),
          fmt::format("{} called {}, but {} called {}: the ranks run different programs or "
                      "configurations, or this is a defect",
                      roster.list(wrong), wrong_call, roster.list(right), right_call)};
}

}  // namespace lockstep::comm
