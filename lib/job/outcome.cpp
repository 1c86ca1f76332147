#include "job/outcome.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "os/file.hpp"

namespace lockstep::job {
namespace {

ExitCode known_code(int number, const std::filesystem::path& file) {
  const auto code = static_cast<ExitCode>(number);
  if (meaning(code) != "unknown") return code;
  throw Error(ErrorKind::io,
              fmt::format("{}: {} is no exit code of lockstep", file.string(), number));
}

}  // namespace

bool write_outcome(const std::filesystem::path& file, const Outcome& outcome) {
  if (file.has_parent_path()) os::make_folders(file.parent_path());
  const nlohmann::ordered_json json = {{"code", static_cast<int>(outcome.code)},
                                       {"reason", outcome.reason},
                                       {"step", outcome.step},
                                       {"culprit", outcome.culprit}};
  // What a library says may hold bytes that are no UTF-8; an outcome is written all the same.
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  return os::publish_if_absent(file, json.dump(2, ' ', false, kReplace) + "\n");
}

std::optional<Outcome> read_outcome(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  const std::string text = os::read_text(file);
  try {
    const auto json = nlohmann::json::parse(text);
    Outcome outcome;
    outcome.code = known_code(json.at("code").get<int>(), file);
    outcome.reason = json.at("reason").get<std::string>();
    outcome.step = json.at("step").get<std::int64_t>();
    outcome.culprit = json.at("culprit").get<std::string>();
    return outcome;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::io,
                fmt::format("{}: no outcome of lockstep: {}", file.string(), error.what()));
  }
}

}  // namespace lockstep::job
