#include "config/syntax_hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockstep::config {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kMostLinesNamed = 5;

// Calls visit(number, line) for each line, counted from 1.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(++number, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view line_at(std::string_view text, int wanted) {
  std::string_view found;
  for_each_line(text, [&](int number, std::string_view line) {
    if (number == wanted) found = line;
  });
  return found;
}

struct Hint {
  std::string_view reader_says;
  std::string_view advice;
};

// The left side is how yaml-cpp begins its messages.
constexpr std::array kHints{
    Hint{"the referenced anchor is not defined", "quote values starting with *"},
    Hint{"unknown escape character",
         "in double quotes a backslash begins an escape: use single quotes, or write \\\\"},
    Hint{"end of map not found", "this line's indentation fits none of the lines above"},
    Hint{"end of sequence not found", "this line's indentation fits none of the lines above"},
    Hint{"end of map flow not found", "a '{' is not closed by '}'"},
    Hint{"end of sequence flow not found", "a '[' is not closed by ']'"},
    Hint{"illegal map value",
         "quote values that hold ': ', and check this line's indentation against the lines above"},
    Hint{"illegal block entry", "check this line's indentation against the lines above"},
    Hint{"illegal map key", "check this line's indentation against the lines above"},
    Hint{"bad file", "it nests too deeply"},
    Hint{"illegal EOF in scalar", "a quote above is not closed"},
    Hint{"illegal EOF", "a quote or a bracket above is not closed"},
};

}  // namespace

std::optional<Finding> find_tabs(std::string_view text) {
  Finding finding;
  std::string others;
  std::size_t count = 0;
  for_each_line(text, [&](int number, std::string_view line) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos || line[begin] == '#') return;
    const std::size_t tab = line.substr(0, begin).find('\t');
    if (tab == std::string_view::npos) return;
    if (count == 0) {
      finding.line = number;
      finding.column = static_cast<int>(tab) + 1;
    } else if (count < kMostLinesNamed) {
      others += fmt::format("{}{}", others.empty() ? "" : ", ", number);
    }
    ++count;
  });
  if (count == 0) return std::nullopt;
  finding.message = "indented with a tab: YAML wants blanks";
  if (count > 1) {
    finding.message += fmt::format(" (also in line{} {}{})", count == 2 ? "" : "s", others,
                                   count > kMostLinesNamed ? ", ..." : "");
  }
  return finding;
}

std::string explain_syntax(std::string_view reader_says, std::string_view text, int line,
                           int column) {
  std::string_view advice;
  for (const Hint& hint : kHints) {
    if (advice.empty() && reader_says.starts_with(hint.reader_says)) advice = hint.advice;
  }
  const std::string_view content = line_at(text, line);
  const auto index = static_cast<std::size_t>(std::max(column, 1) - 1);
  std::string reserved;
  if (index < content.size() &&
      std::string_view("%@`").find(content[index]) != std::string_view::npos) {
    reserved = fmt::format("quote values starting with {}", content[index]);
    advice = reserved;
  }
  return advice.empty() ? fmt::format("not YAML: {}", reader_says)
                        : fmt::format("not YAML: {}; {}", reader_says, advice);
}

}  // namespace lockstep::config
