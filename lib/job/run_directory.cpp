#include "job/run_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "os/file.hpp"

namespace lockstep::job {

std::filesystem::path RunDirectory::attempt(int number) const {
  return root_ / "attempts" / fmt::format("{:04}", number);
}

std::filesystem::path RunDirectory::outcome(int number) const {
  return attempt(number) / "outcome.json";
}

std::filesystem::path RunDirectory::rank_outcome(int number, int rank) const {
  return attempt(number) / fmt::format("rank-{:04}.json", rank);
}

int RunDirectory::next_attempt(std::optional<int> given) const {
  if (given && *given < 1) {
    throw Error(ErrorKind::usage,
                fmt::format("attempt {} (LOCKSTEP_ATTEMPT): the first attempt is 1", *given));
  }
  if (given) return *given;
  int last = 0;
  for (const std::string& name : os::list_folder(root_ / "attempts")) {
    int number = 0;
    const auto result = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool is_attempt = result.ec == std::errc() && result.ptr == name.data() + name.size();
    if (is_attempt) last = std::max(last, number);
  }
  return last + 1;
}

}  // namespace lockstep::job
