#include "train/stop_rules.hpp"

namespace lockstep::train {
namespace {

// A look at a network file system may take milliseconds, a step too.
constexpr std::chrono::milliseconds kLookEvery{500};

}  // namespace

Stop StopRules::vote(double lead_s) {
  if (signals_.received()) return Stop::signalled;
  if (options_.deadline) {
    const std::chrono::duration<double> left =
        *options_.deadline - std::chrono::system_clock::now();
    if (left.count() < lead_s) return Stop::deadline;
  }
  return stop_file_is_there() ? Stop::stop_file : Stop::no;
}

bool StopRules::stop_file_is_there() {
  if (options_.stop_file.empty() || Clock::now() - looked_ < kLookEvery) return false;
  looked_ = Clock::now();
  std::error_code failed;
  return std::filesystem::exists(options_.stop_file, failed);
}

}  // namespace lockstep::train
