#pragma once

#include <string>
#include <utility>

#include "core/error.hpp"

namespace lockstep::comm {

/// A wait for other ranks ended badly, and this is the rank that it was for: an outcome record
/// takes the culprit from here.
class PeerError : public Error {
 public:
  PeerError(int culprit_rank, std::string culprit, const std::string& message,
            Where where = Where::here())
      : Error(ErrorKind::peer, message, where),
        culprit_rank_(culprit_rank),
        culprit_(std::move(culprit)) {}

  /// -1 if no single rank stands out.
  [[nodiscard]] int culprit_rank() const noexcept { return culprit_rank_; }
  /// "rank 1 on node-a"; empty if no single rank stands out.
  [[nodiscard]] const std::string& culprit() const noexcept { return culprit_; }

 private:
  int culprit_rank_;
  std::string culprit_;
};

}  // namespace lockstep::comm
