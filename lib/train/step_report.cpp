#include "train/step_report.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/philox.hpp"

namespace lockstep::train {
namespace {

// Places in the report.
constexpr std::size_t kLoss = 0;
constexpr std::size_t kSamples = 1;
constexpr std::size_t kSave = 2;
constexpr std::size_t kVotes = 3;  // one counter a reason
constexpr std::size_t kIds = kVotes + kStops;
constexpr std::size_t kBusy = kIds + IdsHash::kDigits;  // one a rank

}  // namespace

void IdsHash::add(std::span<const std::int64_t> ids) {
  for (const std::int64_t id : ids) {
    const std::uint64_t hash = mix(static_cast<std::uint64_t>(id));
    for (std::size_t digit = 0; digit < kDigits; ++digit)
      digits_[digit] += static_cast<std::int64_t>((hash >> (4 * digit)) & 0xFU);
  }
}

std::uint64_t IdsHash::value() const {
  std::uint64_t value = 0;
  for (const std::int64_t digit : digits_) value = mix(value, static_cast<std::uint64_t>(digit));
  return value;
}

std::size_t report_count(int ranks) { return kBusy + static_cast<std::size_t>(ranks); }

void write_report(const StepReport& mine, int rank, int ranks, std::span<float> floats) {
  expect(floats.size() >= report_count(ranks), "the report fits its place");
  std::fill(floats.begin(), floats.end(), 0.0F);
  floats[kLoss] = static_cast<float>(mine.loss);
  floats[kSamples] = static_cast<float>(mine.samples);
  floats[kSave] = mine.should_save ? 1.0F : 0.0F;
  floats[kVotes + static_cast<std::size_t>(mine.stop)] = 1.0F;
  std::transform(mine.ids.digits().begin(), mine.ids.digits().end(), floats.begin() + kIds,
                 [](std::int64_t digit) { return static_cast<float>(digit); });
  floats[kBusy + static_cast<std::size_t>(rank)] = static_cast<float>(mine.busy_s);
}

StepReport read_report(std::span<const float> floats, int ranks) {
  StepReport sum;
  sum.loss = floats[kLoss];
  sum.samples = std::llround(floats[kSamples]);
  sum.should_save = floats[kSave] > 0;
  for (std::size_t stop = 0; stop < kStops; ++stop) {
    if (floats[kVotes + stop] > 0) sum.stop = static_cast<Stop>(stop);
  }
  if (!std::isfinite(sum.loss)) sum.stop = Stop::diverged;
  std::transform(floats.begin() + kIds, floats.begin() + kBusy, sum.ids.digits().begin(),
                 [](float digit) { return std::llround(digit); });
  const auto busy = floats.subspan(kBusy, static_cast<std::size_t>(ranks));
  sum.busy_of_rank_s.assign(busy.begin(), busy.end());
  return sum;
}

}  // namespace lockstep::train
