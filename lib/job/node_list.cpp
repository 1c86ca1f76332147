#include "job/node_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <system_error>

#include "core/error.hpp"

namespace lockstep::job {
namespace {

constexpr std::size_t kMostNames = 1'000'000;
constexpr std::size_t kMostDigits = 18;
constexpr std::uint64_t kLargestCount = 1'000'000'000;

// One list while it is read. Every complaint names the variable and the whole text.
class Reader {
 public:
  Reader(std::string_view text, std::string_view variable) : text_(text), variable_(variable) {}

  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(ErrorKind::environment,
                fmt::format("{}='{}' cannot be read: {}", variable_, shortened(), why));
  }

  [[nodiscard]] std::uint64_t number(std::string_view digits) const {
    const bool is_number =
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_number) refuse(fmt::format("'{}' is no number", digits));
    if (digits.size() > kMostDigits) refuse(fmt::format("the number {} is too long", digits));
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  void limit(std::size_t count) const {
    if (count > kMostNames) refuse(fmt::format("it stands for more than {} values", kMostNames));
  }

 private:
  [[nodiscard]] std::string shortened() const {
    constexpr std::size_t kLongest = 200;
    return text_.size() <= kLongest ? std::string(text_)
                                    : std::string(text_.substr(0, kLongest)) + "...";
  }

  std::string_view text_;
  std::string_view variable_;
};

// Splits at commas outside brackets.
std::vector<std::string_view> elements(std::string_view text, const Reader& reader) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool is_inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[' && is_inside) reader.refuse("a '[' stands inside brackets");
    if (c == ']' && !is_inside) reader.refuse("a ']' has no '['");
    if (c == '[') is_inside = true;
    if (c == ']') is_inside = false;
    if (i == text.size() && is_inside) reader.refuse("a '[' is not closed");
    if (c != ',' || is_inside) continue;
    parts.push_back(text.substr(begin, i - begin));
    if (parts.back().empty()) reader.refuse("a name is empty");
    begin = i + 1;
  }
  return parts;
}

std::string padded(std::uint64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

// "001-003,7" -> 001 002 003 7, each appended to every one of `heads`, the last ones changing
// fastest. The limit is looked at before anything is built; `already` names stand before these.
std::vector<std::string> append_ranges(const std::vector<std::string>& heads,
                                       std::string_view ranges, std::size_t already,
                                       const Reader& reader) {
  std::vector<std::string> tails;
  while (true) {
    const std::size_t comma = std::min(ranges.find(','), ranges.size());
    const std::string_view range = ranges.substr(0, comma);
    const std::size_t dash = range.find('-');
    const std::string_view low = range.substr(0, dash);
    const std::string_view high = dash == std::string_view::npos ? low : range.substr(dash + 1);
    const std::uint64_t first = reader.number(low);
    const std::uint64_t last = reader.number(high);
    if (last < first) reader.refuse(fmt::format("the range {} goes down", range));
    const std::size_t count = std::min<std::size_t>(last - first, kMostNames) + 1;
    reader.limit(already + heads.size() * (tails.size() + count));
    // The first number's width is kept, as scontrol does: 001-003, but 8-11.
    for (std::uint64_t n = first; n <= last; ++n) tails.push_back(padded(n, low.size()));
    if (comma == ranges.size()) break;
    ranges.remove_prefix(comma + 1);
  }
  std::vector<std::string> names;
  names.reserve(heads.size() * tails.size());
  for (const std::string& head : heads) {
    for (const std::string& tail : tails) names.push_back(head + tail);
  }
  return names;
}

std::vector<std::string> expand_element(std::string_view element, std::size_t already,
                                        const Reader& reader) {
  std::vector<std::string> names = {""};
  while (!element.empty()) {
    const std::size_t open = std::min(element.find('['), element.size());
    for (std::string& name : names) name += element.substr(0, open);
    element.remove_prefix(open);
    if (element.empty()) break;
    const std::size_t close = element.find(']');
    names = append_ranges(names, element.substr(1, close - 1), already, reader);
    element.remove_prefix(close + 1);
  }
  return names;
}

}  // namespace

std::vector<std::string> expand_node_list(std::string_view text, std::string_view variable) {
  const Reader reader(text, variable);
  // Host names hold none of these; a quoted shell list holds several names and blanks between them.
  if (text.find_first_of(" \t\r\n()\"'=") != std::string_view::npos) {
    reader.refuse("host names hold no blanks, quotes or parentheses");
  }
  std::vector<std::string> names;
  for (const std::string_view element : elements(text, reader)) {
    std::vector<std::string> more = expand_element(element, names.size(), reader);
    reader.limit(names.size() + more.size());
    names.insert(names.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  return names;
}

std::vector<std::int64_t> expand_counts(std::string_view text, std::string_view variable) {
  const Reader reader(text, variable);
  std::vector<std::int64_t> counts;
  for (std::string_view element : elements(text, reader)) {
    std::uint64_t repeats = 1;
    if (const std::size_t open = element.find('('); open != std::string_view::npos) {
      const std::string_view repeat = element.substr(open);
      if (!repeat.starts_with("(x") || !repeat.ends_with(')'))
        reader.refuse("a repeat is written as 4(x2)");
      repeats = reader.number(repeat.substr(2, repeat.size() - 3));
      element = element.substr(0, open);
    }
    const std::uint64_t count = reader.number(element);
    if (count > kLargestCount) reader.refuse(fmt::format("the count {} is too large", count));
    if (repeats == 0) reader.refuse("a count is repeated 0 times");
    reader.limit(std::min<std::size_t>(repeats, kMostNames + 1) + counts.size());
    counts.insert(counts.end(), repeats, static_cast<std::int64_t>(count));
  }
  return counts;
}

}  // namespace lockstep::job
