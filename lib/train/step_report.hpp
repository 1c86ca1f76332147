#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "train/stop.hpp"

namespace lockstep::train {

/// Tells which samples a step saw, whoever saw them: for each sample a 64-bit hash of its id, cut
/// into 16 digits of 4 bits, and each digit summed. Sums add up over ranks as floats and stay exact
/// to a global batch of 2^20.
class IdsHash {
 public:
  static constexpr std::size_t kDigits = 16;

  void add(std::span<const std::int64_t> ids);
  [[nodiscard]] std::uint64_t value() const;
  [[nodiscard]] std::array<std::int64_t, kDigits>& digits() noexcept { return digits_; }
  [[nodiscard]] const std::array<std::int64_t, kDigits>& digits() const noexcept { return digits_; }

 private:
  std::array<std::int64_t, kDigits> digits_{};
};

/// What ranks tell each other in each step: a few floats at the arena's beginning, summed with the
/// gradients, so that agreeing costs no message of its own. Counts stay exact up to 2^24.
struct StepReport {
  double loss =
      0;  ///< sum over samples / global batch: after the reduction, the mean over the global batch
  std::int64_t samples = 0;  ///< after the reduction: the global batch
  Stop stop = Stop::no;      ///< mine; after the reduction: the weightiest of all
  bool should_save = false;  ///< mine; after the reduction: of anyone
  IdsHash ids;               ///< mine; after the reduction: of the global batch
  double busy_s = 0;         ///< mine: seconds this rank worked in its last step, waiting left out
  std::vector<float> busy_of_rank_s;  ///< after the reduction: the same of every rank
};

/// Floats that a report needs on `ranks` ranks.
[[nodiscard]] std::size_t report_count(int ranks);

void write_report(const StepReport& mine, int rank, int ranks, std::span<float> floats);
[[nodiscard]] StepReport read_report(std::span<const float> floats, int ranks);

}  // namespace lockstep::train
