#include "comm/meeting.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "core/error.hpp"

namespace lockstep::comm {

// The largest fingerprint and, negated, the smallest: equal if all ranks brought the same.
struct Meeting::Agreement {
  std::array<std::int64_t, 2> extremes{};
  bool is_under_way = false;
};

Meeting::Meeting(const mpi::Comm& peers, Vigil::Options options)
    : comm_(peers.duplicate()),
      vigil_(peers, std::move(options)),
      agreement_(std::make_unique<Agreement>()) {}

Meeting::~Meeting() {
  if (!agreement_->is_under_way) return;
  // A wait that was given up leaves a request behind; MPI may write to this memory until the
  // process ends.
  static_cast<void>(agreement_.release());
  comm_.abandon();
}

void Meeting::gather(const Call& call) {
  if (failure_) throw *failure_;
  try {
    agree(call);
  } catch (const PeerError& error) {
    failure_ = error;
    throw;
  }
}

void Meeting::agree(const Call& call) {
  ++sequence_;
  vigil_.look_around(sequence_, call);
  const std::int64_t mine = call.fingerprint(sequence_);
  agreement_->extremes = {mine, -mine};
  mpi::Request request =
      comm_.start_all_reduce(view_of(std::span<std::int64_t>(agreement_->extremes)), mpi::Op::max);
  agreement_->is_under_way = true;
  vigil_.wait(sequence_, call, [&] { return request.test(); });
  agreement_->is_under_way = false;
  if (agreement_->extremes[0] != -agreement_->extremes[1]) explain_disagreement(call);
}

// All ranks are here and know it: they can tell each other what they called.
void Meeting::explain_disagreement(const Call& call) {
  std::vector<Position> positions;
  const Position mine = vigil_.position(sequence_, call);
  const nlohmann::json text = {{"sequence", mine.sequence}, {"call", mine.call}};
  for (const std::string& other : comm_.all_gather_text(text.dump())) {
    const auto position = nlohmann::json::parse(other);
    positions.push_back(
        {position.at("sequence").get<std::uint64_t>(), position.at("call").get<std::string>(), {}});
  }
  throw explain_mismatch(vigil_.roster(), positions);
}

}  // namespace lockstep::comm
