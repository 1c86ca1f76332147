#include "comm/roll_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

namespace lockstep::comm {
namespace {

constexpr int kTag = 1;

using Json = nlohmann::json;

Json parse(const std::vector<std::byte>& bytes) {
  return Json::parse(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// A phase is any text; one that is not UTF-8 must not end the run.
std::string print(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

struct RollCall::Sent {
  std::string text;
  mpi::Request request;
};

RollCall::RollCall(const mpi::Comm& peers, const Roster& roster)
    : roster_(roster),
      comm_(peers.duplicate()),
      answers_(static_cast<std::size_t>(roster.size())),
      number_(Clock::now().time_since_epoch().count()) {
  comm_.broadcast({&number_, 1, DType::i64}, 0);
}

RollCall::~RollCall() {
  // What a dead or stopped rank has not taken yet still belongs to MPI, which may read it until the
  // process ends.
  for (auto& sent : sent_) static_cast<void>(sent.release());
  if (has_left_ || !sent_.empty()) comm_.abandon();
}

void RollCall::send(int to, Json message) {
  message["roll_call"] = number_;
  // The text's place must be its last before MPI learns of it.
  auto sent = std::make_unique<Sent>(Sent{print(message), mpi::Request(MPI_REQUEST_NULL)});
  sent->request = comm_.start_send(std::as_bytes(std::span(sent->text)), to, kTag);
  sent_.push_back(std::move(sent));
}

void RollCall::forget_delivered() {
  std::erase_if(sent_, [](const std::unique_ptr<Sent>& sent) { return sent->request.test(); });
}

std::optional<mpi::Comm::Message> RollCall::next_mail() { return comm_.poll(kTag); }

void RollCall::handle(const mpi::Comm::Message& mail, const Position& mine) {
  forget_delivered();
  const Json text = parse(mail.bytes);
  if (text.at("roll_call") != number_) return;
  const auto kind = text.at("kind").get<std::string>();
  if (kind == "question") {
    send(mail.from, Json({{"kind", "answer"},
                          {"number", text.at("number")},
                          {"sequence", mine.sequence},
                          {"call", mine.call},
                          {"phase", mine.phase}}));
  } else if (kind == "answer" && text.at("number") == question_) {
    answers_.at(static_cast<std::size_t>(mail.from)) =
        Position{text.at("sequence").get<std::uint64_t>(), text.at("call").get<std::string>(),
                 text.at("phase").get<std::string>()};
  } else if (kind == "farewell") {
    throw PeerError(
        text.at("culprit_rank").get<int>(), text.at("culprit").get<std::string>(),
        fmt::format("{} gave up: {}", roster_.name(mail.from), text.at("why").get<std::string>()));
  }
}

void RollCall::ask() {
  ++question_;
  std::ranges::fill(answers_, std::nullopt);
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank != comm_.rank()) send(rank, Json({{"kind", "question"}, {"number", question_}}));
  }
}

void RollCall::say_farewell(const PeerError& why) {
  has_left_ = true;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank == comm_.rank()) continue;
    send(rank, Json({{"kind", "farewell"},
                     {"culprit_rank", why.culprit_rank()},
                     {"culprit", why.culprit()},
                     {"why", why.what()}}));
  }
}

}  // namespace lockstep::comm
