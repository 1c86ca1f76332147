#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "comm/finding.hpp"
#include "mpi/comm.hpp"

namespace lockstep::comm {

/// Ranks that wait in a collective ask each other where they are, over messages of their own. A
/// rank answers while it waits itself; one that never answers is the one that is missing.
class RollCall {
 public:
  /// Collective: duplicates `peers`. The roster outlives this.
  RollCall(const mpi::Comm& peers, const Roster& roster);
  ~RollCall();
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  /// A message that has come, if any. Never waits.
  [[nodiscard]] std::optional<mpi::Comm::Message> next_mail();
  /// Answers a question with `mine`, notes an answer. Throws PeerError if the sender has given up:
  /// nobody waits for a rank that will not come.
  void handle(const mpi::Comm::Message& mail, const Position& mine);

  /// Asks all others; answers to earlier questions do not count any more.
  void ask();
  [[nodiscard]] const Answers& answers() const noexcept { return answers_; }

  /// Tells all others that this rank leaves, and why.
  void say_farewell(const PeerError& why);

 private:
  struct Sent;
  void send(int to, nlohmann::json message);
  void forget_delivered();

  const Roster& roster_;
  mpi::Comm comm_;
  std::vector<std::unique_ptr<Sent>> sent_;
  Answers answers_;
  std::uint64_t question_ = 0;
  // Agreed by all when this was made: mail of an earlier roll call is not ours.
  std::int64_t number_ = 0;
  bool has_left_ = false;
};

}  // namespace lockstep::comm
