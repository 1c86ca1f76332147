#include "checkpoint/plan.hpp"

#include <algorithm>

namespace lockstep::checkpoint {
namespace {

constexpr std::uint64_t kSplitFrom = 65536;

/// Ends of the ranks' shares in the stream; rank 0 keeps all texts, however small the tensors are.
std::vector<std::uint64_t> ends_of_shares(std::uint64_t total, std::uint64_t text_bytes,
                                          int world) {
  const auto ranks = static_cast<std::uint64_t>(world);
  std::vector<std::uint64_t> ends{std::max(text_bytes, total / ranks)};
  for (std::uint64_t rank = 1; rank < ranks; ++rank) {
    const std::uint64_t rest = total - ends.front();
    ends.push_back(ends.front() + rest / (ranks - 1) * rank +
                   rest % (ranks - 1) * rank / (ranks - 1));
  }
  return ends;
}

/// The row nearest to byte `into` of the tensor at which it may be cut.
std::int64_t cut(const Entry& entry, std::uint64_t into) {
  const std::uint64_t unit = entry.bytes() < kSplitFrom ? entry.bytes() : entry.row_bytes();
  const std::uint64_t units = (into + unit / 2) / unit;
  return static_cast<std::int64_t>(units * (unit / entry.row_bytes()));
}

class Planner {
 public:
  Planner(std::span<const Entry> entries, std::uint64_t text_bytes, int world)
      : position_(text_bytes) {
    std::uint64_t total = text_bytes;
    for (const Entry& entry : entries)
      total += entry.spread == Spread::replicated ? entry.bytes() : 0;
    ends_ = ends_of_shares(total, text_bytes, world);
  }

  void add_replicated(std::size_t index, const Entry& entry) {
    std::int64_t start = 0;
    const std::uint64_t end = position_ + entry.bytes();
    while (is_share_full()) ++rank_;
    while (!is_last_rank() && ends_[rank_] < end) {
      const std::int64_t row = cut(entry, ends_[rank_] - position_);
      if (row > start) pieces_.push_back({index, static_cast<int>(rank_), start, row - start});
      start = std::max(start, row);
      ++rank_;
    }
    const bool is_empty = entry.bytes() == 0;  // still a dataset that readers find
    if (start < entry.rows() || is_empty) {
      pieces_.push_back({index, static_cast<int>(rank_), start, entry.rows() - start});
    }
    position_ = end;
  }

  void add_per_rank(std::size_t index, const Entry& entry) {
    for (std::size_t rank = 0; rank < ends_.size(); ++rank) {
      pieces_.push_back({index, static_cast<int>(rank), 0, entry.rows()});
    }
  }

  [[nodiscard]] std::vector<Piece> take() { return std::move(pieces_); }

 private:
  [[nodiscard]] bool is_last_rank() const { return rank_ + 1 == ends_.size(); }
  [[nodiscard]] bool is_share_full() const { return !is_last_rank() && ends_[rank_] <= position_; }

  std::vector<std::uint64_t> ends_;
  std::vector<Piece> pieces_;
  std::uint64_t position_;
  std::size_t rank_ = 0;
};

}  // namespace

std::vector<Piece> plan(std::span<const Entry> entries, std::uint64_t text_bytes, int world) {
  Planner planner(entries, text_bytes, world);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].spread == Spread::per_rank) {
      planner.add_per_rank(i, entries[i]);
    } else {
      planner.add_replicated(i, entries[i]);
    }
  }
  return planner.take();
}

}  // namespace lockstep::checkpoint
