#include "train/together.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lockstep::train {
namespace {

std::string to_text(const Error& error) {
  return nlohmann::json{{"kind", static_cast<int>(error.kind())}, {"message", error.what()}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Texts of all ranks, "" where all went well.
std::string verdict(const std::vector<std::string>& texts) {
  int failed = 0;
  std::string first;
  int first_rank = -1;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (texts[rank].empty()) continue;
    ++failed;
    if (first.empty()) {
      first = texts[rank];
      first_rank = static_cast<int>(rank);
    }
  }
  if (failed == 0) return {};
  auto json = nlohmann::json::parse(first);
  if (failed < static_cast<int>(texts.size())) {
    json["message"] = fmt::format("rank {}: {}", first_rank, json["message"].get<std::string>());
  }
  return json.dump();
}

void throw_if(const std::string& text) {
  if (text.empty()) return;
  const auto json = nlohmann::json::parse(text);
  throw CollectiveError(static_cast<ErrorKind>(json.at("kind").get<int>()),
                        json.at("message").get<std::string>());
}

}  // namespace

void together(checkpoint::Group& group, const std::function<void()>& action) {
  std::string mine;
  try {
    action();
  } catch (const CollectiveError&) {
    throw;  // everybody has it already
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::peer) throw;
    mine = to_text(error);
  } catch (const std::exception& error) {
    mine = to_text(Error(ErrorKind::internal, error.what()));
  }
  const std::vector<std::string> texts = group.gather(mine);
  throw_if(group.broadcast(verdict(texts)));
}

void collectively(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io || error.kind() == ErrorKind::usage)
      throw CollectiveError(error.kind(), error.what(), error.where());
    throw;
  }
}

std::string at_root(checkpoint::Group& group, const std::function<std::string()>& action) {
  std::string text;
  together(group, [&] {
    if (group.rank() == 0) text = action();
  });
  return group.broadcast(text);
}

}  // namespace lockstep::train
