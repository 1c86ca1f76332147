#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checkpoint/contents.hpp"

namespace lockstep::checkpoint {

/// Rows [start, start + rows) of one tensor, written by one rank.
struct Piece {
  std::size_t entry = 0;
  int rank = 0;
  std::int64_t start = 0;
  std::int64_t rows = 0;

  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Who writes what: a pure function of its arguments, so that no rank has to ask another.
///
/// All replicated tensors, one after the other, are one long stream of bytes that is cut into
/// `world` equal parts; a cut moves to the nearest row, or out of a tensor that is smaller than 64
/// KiB. So a rank writes few and long pieces, and all write the same but for about one row. Rank 0
/// writes the texts too
/// (`text_bytes`), as the first part of its share. A per-rank tensor is a piece of every rank.
/// Ordered by entry, then by rank; each row of a replicated tensor is in exactly one piece.
[[nodiscard]] std::vector<Piece> plan(std::span<const Entry> entries, std::uint64_t text_bytes,
                                      int world);

}  // namespace lockstep::checkpoint
