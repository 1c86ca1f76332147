#include "config/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace lockstep::config {
namespace {

constexpr std::size_t kMostSuggestions = 3;
constexpr std::size_t kLongestWord = 64;

std::string normalised(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c == '-' || c == ' ') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string last_word(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string section(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

// One slip for short words, more for long ones.
std::size_t tolerated(std::string_view word) {
  return std::clamp<std::size_t>(word.size() / 4, 1, 3);
}

struct Candidate {
  std::size_t distance;
  std::size_t sections_apart;  // 0: the same section
  std::string path;
};

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the usual table (optimal string alignment).
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& now = rows[i % 3];
    const auto& before = rows[(i + 2) % 3];
    const auto& two_before = rows[(i + 1) % 3];
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] =
          std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], two_before[j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::string suggestion(std::string_view unknown, std::span<const std::string> known) {
  const std::string path = normalised(unknown);
  const std::string word = last_word(path);
  if (word.size() > kLongestWord) return "";
  std::vector<Candidate> candidates;
  for (const std::string& one : known) {
    const std::string other = last_word(one);
    if (other.size() > kLongestWord) continue;
    const std::size_t distance = edit_distance(word, other);
    if (distance > tolerated(word) || distance >= other.size()) continue;
    candidates.push_back(
        {distance, section(path) == section(one) ? std::size_t{0} : std::size_t{1}, one});
  }
  std::stable_sort(
      candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return std::tie(a.distance, a.sections_apart) < std::tie(b.distance, b.sections_apart);
      });
  if (candidates.empty()) return "";
  const auto worse = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& one) {
    return one.distance != candidates.front().distance ||
           one.sections_apart != candidates.front().sections_apart;
  });
  candidates.erase(worse, candidates.end());
  if (candidates.size() > kMostSuggestions) candidates.resize(kMostSuggestions);
  std::vector<std::string> paths;
  for (const Candidate& one : candidates) paths.push_back(one.path);
  return fmt::format("did you mean {}?", fmt::join(paths, " or "));
}

}  // namespace lockstep::config
