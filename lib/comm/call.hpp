#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "comm/communicator.hpp"

namespace lockstep::comm {

/// One collective as its caller asked for it: what all ranks must agree on.
struct Call {
  std::string_view collective;  ///< "all_reduce"
  std::size_t count = 0;        ///< elements that one rank brings
  DType dtype = DType::u8;
  std::optional<ReduceOp> op = std::nullopt;
  int root = -1;

  /// "all_reduce of 2097152 f32 (8.0 MiB), sum".
  [[nodiscard]] std::string text() const;
  /// Differs, for all that matters, between calls that differ; never negative.
  [[nodiscard]] std::int64_t fingerprint(std::uint64_t sequence) const noexcept;
};

/// Where a rank is in the order of collectives of one communicator.
struct Position {
  std::uint64_t sequence = 0;  ///< 1 for the first collective
  std::string call;            ///< Call::text()
  std::string phase;           ///< "step 120, backward"; may be empty

  /// "all_reduce of 2097152 f32 (8.0 MiB), sum, collective 57, step 120, backward".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_with(const Position& other) const {
    return sequence == other.sequence && call == other.call;
  }
};

}  // namespace lockstep::comm
