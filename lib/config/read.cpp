#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <tuple>
#include <utility>

#include "config/impl.hpp"
#include "config/merge.hpp"
#include "config/nearest.hpp"
#include "config/parser.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"
#include "core/error.hpp"

namespace lockstep::config {
namespace {

// A data set named by mistake must not be read whole.
constexpr std::uintmax_t kLargestFile = 1 << 20;

std::string place(const std::string& file, const Finding& finding) {
  if (finding.line == 0) return file;
  if (finding.column == 0) return fmt::format("{}:{}", file, finding.line);
  return fmt::format("{}:{}:{}", file, finding.line, finding.column);
}

std::string read_file(const std::filesystem::path& file) {
  std::error_code failed;
  if (std::filesystem::is_directory(file, failed)) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: is a folder; name the YAML file in it", file.string()));
  }
  if (std::filesystem::is_regular_file(file, failed)) {
    const std::uintmax_t size = std::filesystem::file_size(file, failed);
    if (!failed && size > kLargestFile) {
      throw Error(ErrorKind::usage, fmt::format("{}: has {} bytes; a configuration has at most {}",
                                                file.string(), size, kLargestFile));
    }
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw Error(ErrorKind::usage, fmt::format("{}: the configuration cannot be opened: {}",
                                              file.string(), std::strerror(errno)));
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string Schema::Impl::unknown(std::string_view path) const {
  std::vector<std::string> known(sections.begin(), sections.end());
  for (const auto& declaration : declarations) known.push_back(declaration->path);
  if (const std::string hint = suggestion(path, known); !hint.empty()) {
    return fmt::format("unknown key {}; {}", path, hint);
  }
  const std::size_t dot = path.rfind('.');
  const std::string section(dot == std::string_view::npos ? "" : path.substr(0, dot));
  std::vector<std::string> siblings;
  for (const std::string& one : known) {
    const std::size_t end = one.rfind('.');
    if ((end == std::string::npos ? "" : one.substr(0, end)) == section)
      siblings.push_back(one.substr(end + 1));
  }
  return section.empty()
             ? fmt::format("unknown section {}; there are: {}", path, fmt::join(siblings, ", "))
             : fmt::format("unknown key {}; {} has: {}", path, section, fmt::join(siblings, ", "));
}

std::string Schema::Impl::take(std::string_view path, const Node& value, const std::string& where) {
  const auto found = by_path.find(path);
  if (found == by_path.end()) {
    return sections.contains(path) ? fmt::format("{} is a section: name a key in it", path)
                                   : unknown(path);
  }
  Declaration& declaration = *found->second;
  declaration.given_at = where;
  if (const auto wrong = declaration.set(value)) return fmt::format("{}: {}", path, *wrong);
  return "";
}

void Schema::Impl::take_map(const Node& map, const std::string& prefix,
                            std::vector<Finding>& findings) {
  for (const Entry& entry : map.entries) {
    const std::string path = prefix + entry.key;
    std::string wrong;
    if (entry.key.find('.') != std::string::npos) {
      wrong = by_path.contains(path)
                  ? fmt::format("{}: dots do not nest; write {} indented below {}:", entry.key,
                                path.substr(path.rfind('.') + 1), path.substr(0, path.rfind('.')))
                  : unknown(path);
    } else if (!sections.contains(path)) {
      wrong = take(path, entry.value, fmt::format("{}:{}", file, entry.line));
    } else if (entry.value.kind == Node::Kind::map) {
      take_map(entry.value, path + ".", findings);
    } else if (entry.value.kind !=
               Node::Kind::null) {  // a section may be empty, its keys commented out
      wrong = fmt::format("{} is a section, got {}: write its keys below it, indented", path,
                          describe(entry.value));
    }
    if (!wrong.empty()) findings.push_back({entry.line, 0, std::move(wrong)});
  }
}

bool Schema::Impl::take_text(std::string_view text, std::vector<Problem>& problems) {
  Document document = parse(text);
  std::vector<Finding> findings = std::move(document.findings);
  if (document.root) {
    Node& root = *document.root;
    make_keys_single(root, findings);
    if (root.kind == Node::Kind::map) {
      take_map(root, "", findings);
    } else if (root.kind != Node::Kind::null) {
      findings.push_back(
          {root.line, 0, fmt::format("expected sections with keys, got {}", describe(root))});
    }
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  for (Finding& finding : findings)
    problems.push_back({place(file, finding), std::move(finding.message)});
  return document.root.has_value();
}

void Schema::Impl::find_missing(std::vector<Problem>& problems) const {
  for (const auto& declaration : declarations) {
    if (!declaration->is_required || declaration->given_at) continue;
    problems.push_back(
        {file, fmt::format("{} must be given: {}", declaration->path, declaration->meaning)});
  }
}

void Schema::Impl::take_override(const std::string& text, std::vector<Problem>& problems) {
  const std::string where = "--set " + text;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    problems.push_back({where, "write it as section.key=value"});
    return;
  }
  const std::string path = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  const auto declared = by_path.find(path);
  Node node;
  if (declared != by_path.end() && declared->second->override_syntax == OverrideSyntax::verbatim) {
    node.kind = Node::Kind::scalar;
    node.text = value;
  } else if (declared != by_path.end()) {
    Document document = parse(value);
    for (Finding& finding : document.findings)
      problems.push_back({where, std::move(finding.message)});
    if (!document.root) return;
    node = std::move(*document.root);
  }
  if (std::string wrong = take(path, node, where); !wrong.empty())
    problems.push_back({where, std::move(wrong)});
}

std::vector<Problem> Schema::read(const std::filesystem::path& file,
                                  const std::vector<std::string>& overrides) {
  return read_text(read_file(file), file.string(), overrides);
}

std::vector<Problem> Schema::read_text(std::string_view text, const std::string& name,
                                       const std::vector<std::string>& overrides) {
  impl_->file = name;
  for (const auto& declaration : impl_->declarations) declaration->given_at.reset();
  std::vector<Problem> problems;
  const bool is_readable = impl_->take_text(text, problems);
  for (const std::string& one : overrides) impl_->take_override(one, problems);
  if (is_readable) impl_->find_missing(problems);
  return problems;
}

}  // namespace lockstep::config
