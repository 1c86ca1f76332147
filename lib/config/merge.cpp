#include "config/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace lockstep::config {
namespace {

bool is_merge(const Entry& entry) { return entry.key == "<<" && entry.style == Node::Style::plain; }

void drop_duplicates(Node& map, const std::string& prefix, std::vector<Finding>& findings) {
  std::map<std::string, int> lines;
  std::vector<Entry> kept;
  for (Entry& entry : map.entries) {
    const auto [first, is_new] = lines.emplace(entry.key, entry.line);
    if (is_new) {
      kept.push_back(std::move(entry));
    } else {
      findings.push_back({entry.line, 0,
                          fmt::format("duplicate key {}{}: line {} has it already, line {} again",
                                      prefix, entry.key, first->second, entry.line)});
    }
  }
  map.entries = std::move(kept);
}

void add_missing(std::vector<Entry>& entries, const Node& source) {
  std::set<std::string> present;
  for (const Entry& own : entries) present.insert(own.key);
  for (const Entry& entry : source.entries) {
    if (present.insert(entry.key).second) entries.push_back(entry);
  }
}

void merge(Node& map, const std::string& prefix, std::vector<Finding>& findings) {
  const auto found = std::find_if(map.entries.begin(), map.entries.end(), is_merge);
  if (found == map.entries.end()) return;
  const Entry source = std::move(*found);
  map.entries.erase(found);
  const std::vector<Node> sources =
      source.value.kind == Node::Kind::list ? source.value.items : std::vector{source.value};
  for (const Node& one : sources) {
    if (one.kind == Node::Kind::map) {
      add_missing(map.entries, one);
    } else {
      findings.push_back(
          {source.line, 0,
           fmt::format("{}<< takes a section, or a list of sections, to copy keys from", prefix)});
    }
  }
}

void walk(Node& node, const std::string& prefix, std::vector<Finding>& findings) {
  for (Node& item : node.items) walk(item, prefix, findings);
  for (Entry& entry : node.entries) {
    walk(entry.value, is_merge(entry) ? prefix : prefix + entry.key + ".", findings);
  }
  if (node.kind != Node::Kind::map) return;
  drop_duplicates(node, prefix, findings);
  merge(node, prefix, findings);
}

}  // namespace

void make_keys_single(Node& root, std::vector<Finding>& findings) { walk(root, "", findings); }

}  // namespace lockstep::config
