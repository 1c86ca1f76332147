#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <vector>

#include "comm/factory.hpp"
#include "comm/mpi_communicator.hpp"

namespace lockstep::comm {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPiece = std::size_t{2} << 20U;
// What a larger buffer gains is seen on this much already, and start-up stays short.
constexpr std::size_t kLargestTrial = std::size_t{32} << 20U;
constexpr int kRounds = 4;
constexpr double kBudgetSeconds = 0.1;
// Pieces must be worth it: within noise one call stays, which is also best over TCP.
constexpr double kClearGain = 0.9;

// The slowest rank's time: the same number everywhere, so that all ranks decide the same.
double time_all_reduce(const mpi::Comm& comm, std::span<float> buffer, std::size_t piece_bytes) {
  const BufferView view = view_of(buffer);
  const std::size_t piece = piece_bytes / sizeof(float);
  comm.barrier();
  const auto began = Clock::now();
  for (std::size_t first = 0; first < view.count; first += piece) {
    comm.all_reduce(view.slice(first, std::min(piece, view.count - first)), mpi::Op::sum);
  }
  return comm.max(seconds(Clock::now() - began));
}

}  // namespace

std::size_t choose_piece(const mpi::Comm& peers, std::size_t bytes) {
  if (peers.size() == 1 || bytes <= kPiece) return 0;
  // The blocking calls below have no limit of their own: first make sure, within one, that all
  // ranks have come.
  make_mpi(peers, {.patience = [] { return Clock::duration(60s); }})->barrier().wait();
  const mpi::Comm comm = peers.duplicate();
  std::vector<float> buffer(std::min(bytes, kLargestTrial) / sizeof(float));
  double whole = std::numeric_limits<double>::infinity();
  double pieces = whole;
  double spent = 0;
  for (int round = 0; round < kRounds && spent < kBudgetSeconds; ++round) {
    const double whole_now = time_all_reduce(comm, buffer, buffer.size() * sizeof(float));
    const double pieces_now = time_all_reduce(comm, buffer, kPiece);
    spent += whole_now + pieces_now;
    // The first round also makes connections and touches memory.
    if (round == 0 && spent < kBudgetSeconds) continue;
    whole = std::min(whole, whole_now);
    pieces = std::min(pieces, pieces_now);
  }
  return pieces < whole * kClearGain ? kPiece : 0;
}

}  // namespace lockstep::comm
