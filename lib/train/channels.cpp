#include "train/channels.hpp"

#include <algorithm>

#include "comm/factory.hpp"

namespace lockstep::train {
namespace {

Clock::duration from_seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
}

std::string_view backend_of(comm::Backend backend, int device) {
  switch (backend) {
    case comm::Backend::mpi:
      return "mpi";
    case comm::Backend::nccl:
      return "nccl";
    case comm::Backend::automatic:
      break;
  }
  return device < 0 ? "mpi" : comm::available().front();
}

}  // namespace

Channels::Channels(const comm::Settings& settings, const mpi::Comm& peers, const Launch& launch,
                   const os::StopSignals& signals)
    : world(peers.duplicate()), signals_(signals), patience_s_(settings.patience_s) {
  control = comm::make(
      "mpi", world,
      {.patience = [this] { return patience(); }, .piece_bytes = 0, .device = launch.device});
}

void Channels::open_gradients(const comm::Settings& settings, const Launch& launch, int threads,
                              std::size_t arena_bytes) {
  const std::string_view backend = backend_of(settings.backend, launch.device);
  const auto bucket_bytes = static_cast<std::size_t>(settings.bucket_mib * 1024 * 1024);
  if (backend == "mpi") {
    piece_bytes = settings.piece_kib
                      ? static_cast<std::size_t>(*settings.piece_kib) * 1024
                      : comm::choose_piece(world, std::min(bucket_bytes, arena_bytes));
  }
  gradients = comm::make(backend, world,
                         {.patience = [this] { return patience(); },
                          .piece_bytes = piece_bytes,
                          .device = launch.device});
  overlap = backend == "nccl" ? "stream" : "inline";
  if (backend == "mpi" && overlap_of(launch, settings.overlap, threads) == comm::Overlap::thread) {
    gradients = comm::on_a_thread(std::move(gradients));
    overlap = "thread";
  }
}

Clock::duration Channels::patience() const {
  if (!signals_.terminated()) return from_seconds(patience_s_);
  return from_seconds(std::max(5.0, step_seconds ? 3 * step_seconds() : 0.0));
}

}  // namespace lockstep::train
