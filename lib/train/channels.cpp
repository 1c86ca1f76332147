#include "train/channels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "comm/factory.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "job/exit_code.hpp"
#include "mpi/session.hpp"

namespace lockstep::train {
namespace {

// Inside a node one call of many MiB falls out of the caches: pieces are two to three times as
// fast. Between nodes they only add latency. By rule and not by measurement: from 3 ranks on the
// size decides the bits, and a resumed run must take the same.
constexpr std::size_t kPieceInsideNode = std::size_t{2} << 20U;

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
    : settings_(settings), launch_(launch), signals_(signals), peers_(peers.duplicate()) {
  control_ = make("mpi", {.patience = [this] { return from_seconds(settings_.patience_s); }});
}

void Channels::check() const {
  const std::string_view backend = backend_of(settings_.backend, launch_.device);
  const auto built = comm::available();
  if (std::find(built.begin(), built.end(), backend) == built.end()) {
    throw Error(ErrorKind::usage,
                fmt::format("comm.backend {} is not in this build, which has: {}; build with the "
                            "preset 'cuda' to get it",
                            backend, fmt::join(built, ", ")));
  }
  if (backend == "mpi" && launch_.device >= 0 && peers_.size() > 1) {
    throw Error(ErrorKind::usage,
                "comm.backend mpi reduces host memory, but the gradients lie on a GPU: use "
                "comm.backend nccl or auto");
  }
}

void Channels::open_gradients(int threads) {
  const std::string_view backend = backend_of(settings_.backend, launch_.device);
  if (backend == "mpi") {
    const bool is_one_node = launch_.local_ranks == peers_.size();
    piece_bytes_ = settings_.piece_kib ? static_cast<std::size_t>(*settings_.piece_kib) * 1024
                   : is_one_node       ? kPieceInsideNode
                                       : 0;
  }
  gradients_ =
      make(backend, {.patience = [this] { return patience(); }, .piece_bytes = piece_bytes_});
  overlap_ = backend == "nccl" ? "stream" : "inline";
  if (backend == "mpi" &&
      overlap_of(launch_, settings_.overlap, threads) == comm::Overlap::thread) {
    gradients_ = comm::on_a_thread(std::move(gradients_));
    overlap_ = "thread";
  }
}

std::unique_ptr<comm::Communicator> Channels::make(std::string_view backend,
                                                   comm::MakeOptions options) {
  options.device = launch_.device;
  options.phase = [this] { return fmt::format("after step {}", step_.load()); };
  options.on_stuck = [this](const comm::PeerError& error) { end_stuck(error); };
  return comm::make(backend, peers_, std::move(options));
}

void Channels::set_last_words(std::function<void(const comm::PeerError&)> last_words) {
  const std::scoped_lock lock(last_words_mutex_);
  last_words_ = std::move(last_words);
}

// From the guard's thread: the one that trains is inside a call that does not return.
void Channels::end_stuck(const comm::PeerError& error) {
  const std::scoped_lock lock(last_words_mutex_);
  if (last_words_) last_words_(error);
  log::error(error.what());
  mpi::abort(static_cast<int>(job::exit_code(error.kind())));
}

Clock::duration Channels::patience() const {
  if (!signals_.terminated()) return from_seconds(settings_.patience_s);
  return from_seconds(std::max(5.0, 3 * step_seconds_.load()));
}

void Channels::after_step(const StepResult& result) {
  step_ = result.progress.step;
  step_seconds_ = std::accumulate(result.seconds.begin(), result.seconds.end(), 0.0);
}

}  // namespace lockstep::train
