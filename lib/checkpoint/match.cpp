#include "checkpoint/match.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace lockstep::checkpoint {
namespace {

/// Path to type and shape: "f32 [64, 3, 7, 7]", or "text".
using Names = std::map<std::string, std::string>;

std::string description(const Entry& entry, Restored how) {
  if (entry.spread == Spread::per_rank && how == Restored::elastic) return "per_rank";
  return fmt::format("{} [{}]{}", name(entry.dtype), fmt::join(entry.shape, ", "),
                     entry.spread == Spread::per_rank ? " per_rank" : "");
}

Names names_of(const Manifest& manifest, Restored how) {
  Names names;
  for (const Manifest::Text& text : manifest.texts) names[text.path] = "text";
  for (const Manifest::Tensor& tensor : manifest.tensors)
    names[tensor.entry.path] = description(tensor.entry, how);
  return names;
}

Names names_of(const Contents& contents, Restored how) {
  Names names;
  for (const Saveable* part : contents.parts) names[text_path(*part)] = "text";
  for (const Entry& entry : contents.entries) names[entry.path] = description(entry, how);
  return names;
}

std::string list(std::string_view title, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 10;
  if (names.empty()) return "";
  const std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())));
  const std::string more =
      names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : std::string();
  return fmt::format("; {} ({}): {}{}", title, names.size(), fmt::join(shown, ", "), more);
}

}  // namespace

void expect_match(const Manifest& manifest, const Contents& contents, Restored how) {
  const Names stored = names_of(manifest, how);
  const Names wanted = names_of(contents, how);
  std::vector<std::string> missing;
  std::vector<std::string> different;
  std::vector<std::string> unexpected;
  for (const auto& [path, type] : wanted) {
    const auto found = stored.find(path);
    if (found == stored.end()) {
      missing.push_back(path);
    } else if (found->second != type) {
      different.push_back(fmt::format("{} is {} there and {} here", path, found->second, type));
    }
  }
  for (const auto& [path, type] : stored) {
    if (!wanted.contains(path)) unexpected.push_back(path);
  }
  if (missing.empty() && different.empty() && unexpected.empty()) return;
  throw Error(
      ErrorKind::usage,
      fmt::format(
          "the checkpoint is not of this configuration: matched {} of {}{}{}{}; use the model and "
          "optimizer it was made with",
          wanted.size() - missing.size() - different.size(), wanted.size(),
          list("missing in the checkpoint", missing), list("not in this run", unexpected),
          list("different", different)));
}

}  // namespace lockstep::checkpoint
