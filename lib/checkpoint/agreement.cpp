#include "checkpoint/agreement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <map>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace lockstep::checkpoint {
namespace {

/// What a rank has to say: one letter for the kind ('0' + kind; '-': all is well), then the reason.
struct Report {
  char kind = '-';
  std::string text;

  [[nodiscard]] bool is_good() const { return kind == '-'; }
  [[nodiscard]] std::string encoded() const { return kind + text; }
  [[nodiscard]] static Report decode(std::string_view text) {
    return {text.front(), std::string(text.substr(1))};
  }
};

Report report_of(const std::function<std::string()>& part) {
  try {
    return {'-', part()};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::peer) throw;
    return {static_cast<char>('0' + static_cast<int>(error.kind())), error.what()};
  } catch (const std::exception& error) {
    return {static_cast<char>('0' + static_cast<int>(ErrorKind::io)), error.what()};
  }
}

[[noreturn]] void fail(const std::string& what, const Report& report) {
  const std::string message = what.empty() ? report.text : fmt::format("{}: {}", what, report.text);
  throw CollectiveError(static_cast<ErrorKind>(report.kind - '0'), message);
}

/// Ranks that say the same are named together; if all do, nobody is.
Report joined(const std::vector<std::string>& reports) {
  std::map<std::string, std::vector<std::size_t>> ranks_by_text;
  Report failure;
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const Report report = Report::decode(reports[rank]);
    if (report.is_good()) continue;
    if (failure.is_good()) failure.kind = report.kind;
    ranks_by_text[report.text].push_back(rank);
  }
  for (const auto& [text, ranks] : ranks_by_text) {
    const std::string who =
        ranks.size() == reports.size() ? "" : fmt::format("rank {}: ", fmt::join(ranks, ", "));
    failure.text += fmt::format("{}{}{}", failure.text.empty() ? "" : "; ", who, text);
  }
  return failure;
}

}  // namespace

void together(Group& group, const std::string& what, const std::function<void()>& part) {
  const Report mine = report_of([&part] {
    part();
    return std::string();
  });
  if (group.all(mine.is_good())) return;
  const std::vector<std::string> reports = group.gather(mine.encoded());
  fail(what, Report::decode(
                 group.broadcast(group.rank() == 0 ? joined(reports).encoded() : std::string())));
}

std::string on_root(Group& group, const std::string& what,
                    const std::function<std::string()>& part) {
  std::string mine;
  if (group.rank() == 0) mine = report_of(part).encoded();
  const Report report = Report::decode(group.broadcast(mine));
  if (!report.is_good()) fail(what, report);
  return report.text;
}

}  // namespace lockstep::checkpoint
