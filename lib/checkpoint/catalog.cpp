#include "checkpoint/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "os/file.hpp"

namespace lockstep::checkpoint {
namespace {

constexpr std::string_view kStep = "step-";
constexpr std::string_view kTrash = ".trash-step-";

std::int64_t step_of(const std::filesystem::path& path) {
  return parse_step_name(path.filename().string()).value_or(-1);
}

bool is_step_with(std::string_view name, std::string_view suffix) {
  const std::size_t dot = name.find('.');
  return dot != std::string_view::npos && parse_step_name(name.substr(0, dot)).has_value() &&
         name.substr(dot).starts_with(suffix);
}

}  // namespace

std::string step_name(std::int64_t step) { return fmt::format("{}{:09}", kStep, step); }

std::optional<std::int64_t> parse_step_name(std::string_view name) {
  if (!name.starts_with(kStep)) return std::nullopt;
  const std::string_view digits = name.substr(kStep.size());
  std::int64_t step = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (error != std::errc() || step < 0 || step_name(step) != name) return std::nullopt;
  return step;
}

Catalog::Catalog(const std::filesystem::path& root) {
  for (const std::string& name : os::list_folder(root)) {
    if (parse_step_name(name)) steps.push_back(root / name);
    if (is_step_with(name, ".tmp-")) temporary.push_back(root / name);
    if (is_step_with(name, ".bad-")) moved_aside.push_back(root / name);
    if (name.starts_with(kTrash)) trash.push_back(root / name);
  }
  std::sort(steps.begin(), steps.end(),
            [](const auto& a, const auto& b) { return step_of(a) > step_of(b); });
}

}  // namespace lockstep::checkpoint
