#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "config/impl.hpp"
#include "config/merge.hpp"
#include "config/parser.hpp"
#include "config/schema.hpp"
#include "core/error.hpp"

namespace lockstep::config {
namespace {

using Declarations = std::vector<const Declaration*>;

// Keys of one section may have been declared in several places; in the file it can stand only once.
void print_section(const Declarations& declarations, const std::string& prefix, std::string& text) {
  const std::size_t depth = static_cast<std::size_t>(std::count(prefix.begin(), prefix.end(), '.'));
  const std::string indentation(2 * depth, ' ');
  std::set<std::string> printed;
  for (const Declaration* declaration : declarations) {
    if (!declaration->path.starts_with(prefix)) continue;
    const std::string rest = declaration->path.substr(prefix.size());
    const std::string word = rest.substr(0, rest.find('.'));
    if (word.size() == rest.size()) {
      text += fmt::format("{}{}: {}\n", indentation, word, declaration->get());
    } else if (printed.insert(word).second) {
      text += fmt::format("{}{}:\n", indentation, word);
      print_section(declarations, prefix + word + ".", text);
    }
  }
}

std::string in_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : std::string(1, c);
  return cell;
}

void flatten(const Node& map, const std::string& prefix, std::map<std::string, Node>& values) {
  for (const Entry& entry : map.entries) {
    if (entry.value.kind == Node::Kind::map) {
      flatten(entry.value, prefix + entry.key + ".", values);
    } else {
      values.emplace(prefix + entry.key, entry.value);
    }
  }
}

}  // namespace

std::string Schema::print() const {
  Declarations declarations;
  for (const auto& declaration : impl_->declarations) declarations.push_back(declaration.get());
  std::string text;
  print_section(declarations, "", text);
  return text;
}

std::string Schema::table() const {
  std::string text = "| key | type | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const auto& declaration : impl_->declarations) {
    const std::string given =
        declaration->is_required ? "required" : "`" + declaration->default_text + "`";
    text += fmt::format("| `{}` | {} | {} | {} |\n", declaration->path, in_cell(declaration->type),
                        in_cell(given), in_cell(declaration->meaning));
  }
  return text;
}

std::vector<std::string> Schema::fixed_differences(std::string_view stored) const {
  Document document = parse(stored);
  if (!document.root) {
    throw Error(ErrorKind::io,
                fmt::format("the stored configuration cannot be read: line {}: {}",
                            document.findings.front().line, document.findings.front().message));
  }
  std::vector<Finding> duplicates;
  make_keys_single(*document.root, duplicates);
  std::map<std::string, Node> values;
  flatten(*document.root, "", values);
  std::vector<std::string> differences;
  for (const auto& declaration : impl_->declarations) {
    const auto found = values.find(declaration->path);
    // A key that is newer than the stored text had its default then.
    std::string before = declaration->default_text;
    if (found != values.end()) {
      before = declaration->read_back(found->second).value_or(found->second.text);
      values.erase(found);
    }
    const std::string now = declaration->get();
    if (!declaration->may_change && before != now) {
      differences.push_back(fmt::format("{}: {} -> {}", declaration->path, before, now));
    }
  }
  for (const auto& [path, value] : values) {
    differences.push_back(fmt::format("{}: {} -> not known to this version", path, value.text));
  }
  return differences;
}

}  // namespace lockstep::config
