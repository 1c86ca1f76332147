#include "data/loader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/deadline.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "os/signals.hpp"

namespace lockstep::data {
namespace {

constexpr std::int64_t kNothing = -1;
// A thread takes rows worth at least this much at a time: small pictures cost less to copy than a
// lock to take.
constexpr std::size_t kPieceBytes = 16'384;

/// A batch and how far it is. `claimed` rows have been given to threads, `done` rows have come
/// back.
struct Slot {
  Batch batch;
  std::int64_t epoch = 0;
  std::int64_t claimed = 0;
  std::int64_t done = 0;
  std::int64_t failed_row = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure;

  [[nodiscard]] bool is_ready() const { return failure != nullptr || done == batch.count; }
};

/// Rows [begin, end) of a slot, for one thread to fill.
struct Piece {
  Slot* slot = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;  ///< the row that failed, if there is a failure
  std::exception_ptr failure;
};

/// What belongs to one thread, on a cache line of its own.
struct alignas(64) Worker {
  std::atomic<std::int64_t> reading = kNothing;  ///< sample id
  std::vector<std::byte> tile;  ///< the picture before augmentation, where there is any
};

LoaderOptions usable(LoaderOptions options) {
  if (options.threads < 1) {
    throw Error(ErrorKind::usage,
                fmt::format("data.threads is {}: at least 1 is needed", options.threads));
  }
  if (options.ring < 2) {
    throw Error(
        ErrorKind::usage,
        fmt::format("data.ring is {}: at least 2 is needed, one to train on and one to fill",
                    options.ring));
  }
  return options;
}

}  // namespace

/// Slots for batches [oldest_, oldest_ + ring), batch b in slot b % ring. Threads take rows in the
/// order of the plan, so at any time only the newest batch has rows that nobody has taken.
/// Everything below the mutex is guarded by it; the content of a row belongs to the thread that
/// took it.
struct Loader::Ring {
  Ring(const Dataset& dataset, const Plan& plan, Augment augment, LoaderOptions options,
       std::int64_t first)
      : dataset_(dataset),
        plan_(plan),
        augment_(augment),
        options_(usable(options)),
        shape_(dataset.shape()),
        workers_(static_cast<std::size_t>(options_.threads)),
        slots_(static_cast<std::size_t>(options_.ring)),
        oldest_(first),
        unprepared_(first) {
    expect(first >= 0, "a batch is counted from 0");
    // Here and not when a batch is prepared: the threads would zero that memory while they hold the
    // lock.
    for (Slot& slot : slots_) resize(slot.batch, plan.largest_batch());
    for (Worker& worker : workers_)
      worker.tile.resize(augment_.is_identity() ? 0 : shape_.size_bytes());
    for (Worker& worker : workers_) {
      threads_.emplace_back([this, &worker](const std::stop_token& stop) { work(stop, worker); });
    }
  }

  ~Ring() {
    for (std::jthread& thread : threads_) thread.request_stop();
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  const Batch* next() {
    std::unique_lock lock(mutex_);
    release_delivered();
    const Deadline deadline = Deadline::after(options_.patience);
    if (!ready_.wait_until(lock, deadline.when(),
                           [this] { return is_at_end() || is_oldest_ready(); })) {
      throw_late();
    }
    if (is_at_end()) return nullptr;
    const Slot& slot = slot_of(oldest_);
    if (slot.failure != nullptr) std::rethrow_exception(slot.failure);
    is_delivered_ = true;
    return &slot.batch;
  }

 private:
  Slot& slot_of(std::int64_t index) {
    return slots_[static_cast<std::size_t>(index % options_.ring)];
  }
  [[nodiscard]] bool is_at_end() const { return end_ && oldest_ >= *end_; }
  [[nodiscard]] bool is_oldest_ready() {
    return oldest_ < unprepared_ && slot_of(oldest_).is_ready();
  }
  [[nodiscard]] bool has_free_slot() const { return unprepared_ < oldest_ + options_.ring; }

  void release_delivered() {
    if (!is_delivered_) return;
    is_delivered_ = false;
    ++oldest_;
    work_.notify_all();
  }

  [[noreturn]] void throw_late() const {
    std::vector<std::int64_t> reading;
    for (const Worker& worker : workers_) {
      const std::int64_t id = worker.reading.load(std::memory_order_relaxed);
      if (id != kNothing) reading.push_back(id);
    }
    throw Error(
        ErrorKind::data,
        fmt::format(
            "batch {} is not ready after {}: samples [{}] are still being read by {} threads; is "
            "the storage slow or gone? if it is only slow, raise data.threads or data.patience_s",
            oldest_, units::duration(options_.patience), fmt::join(reading, ", "),
            options_.threads));
  }

  void resize(Batch& batch, std::int64_t count) const {
    const auto rows = static_cast<std::size_t>(count);
    batch.shape = shape_;
    batch.count = count;
    batch.pixels.resize(rows * shape_.size_bytes());
    batch.labels.resize(rows);
    batch.other_labels.resize(rows);
    batch.weights.assign(rows, 1.0F);
  }

  // Sets up the next batch of the plan in a free slot, or finds that there is none.
  void prepare() {
    Slot& slot = slot_of(unprepared_);
    slot.claimed = 0;
    slot.done = 0;
    slot.batch.index = unprepared_;
    try {
      slot.batch.ids = plan_.ids(unprepared_);
      if (slot.batch.ids.empty()) {
        end_ = unprepared_;
        is_over_ = true;
        ready_.notify_one();
        return;
      }
      slot.epoch = plan_.epoch(unprepared_);
      resize(slot.batch, static_cast<std::int64_t>(slot.batch.ids.size()));
    } catch (...) {
      fail(slot, 0, std::current_exception());
    }
    newest_ = &slot;
    ++unprepared_;
  }

  void fail(Slot& slot, std::int64_t row, std::exception_ptr failure) {
    is_over_ = true;  // a batch behind this one would never be delivered
    if (row < slot.failed_row) {
      slot.failed_row = row;
      slot.failure = std::move(failure);
    }
    if (slot.batch.index == oldest_) ready_.notify_one();
  }

  void take_back(Piece& piece) {
    Slot& slot = *piece.slot;
    if (piece.failure != nullptr) return fail(slot, piece.end, std::move(piece.failure));
    slot.done += piece.end - piece.begin;
    if (slot.is_ready() && slot.batch.index == oldest_) ready_.notify_one();
  }

  // Small pictures by many, but never so many that a thread would have none.
  [[nodiscard]] Piece claim() {
    const std::int64_t count = newest_->batch.count;
    const auto worth_a_lock =
        static_cast<std::int64_t>(kPieceBytes / std::max<std::size_t>(1, shape_.size_bytes()));
    const std::int64_t fair = (count + options_.threads - 1) / options_.threads;
    const std::int64_t begin = newest_->claimed;
    newest_->claimed = std::min(count, begin + std::clamp<std::int64_t>(worth_a_lock, 1, fair));
    return {.slot = newest_, .begin = begin, .end = newest_->claimed, .failure = nullptr};
  }

  // One lock a piece: hands back the last one and takes another; none when the thread should end.
  [[nodiscard]] std::optional<Piece> exchange(std::optional<Piece> finished,
                                              const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (finished) take_back(*finished);
    while (!stop.stop_requested() && !is_over_) {
      if (newest_ != nullptr && newest_->claimed < newest_->batch.count) return claim();
      if (has_free_slot()) {
        prepare();
      } else {
        work_.wait(lock, stop, [this] { return is_over_ || has_free_slot(); });
      }
    }
    return std::nullopt;
  }

  void fill_row(Slot& slot, std::size_t row, std::span<std::byte> tile) const {
    Batch& batch = slot.batch;
    const std::size_t bytes = shape_.size_bytes();
    const std::span<std::byte> pixels = std::span(batch.pixels).subspan(row * bytes, bytes);
    const std::int64_t id = batch.ids[row];
    if (tile.empty()) {
      batch.labels[row] = dataset_.read(id, pixels);
    } else {
      batch.labels[row] = dataset_.read(id, tile);
      augment_.apply(slot.epoch, id, shape_, tile, pixels);
    }
    batch.other_labels[row] = batch.labels[row];
  }

  void fill(Piece& piece, const std::stop_token& stop, Worker& worker) const {
    for (std::int64_t row = piece.begin; row < piece.end && !stop.stop_requested(); ++row) {
      const auto index = static_cast<std::size_t>(row);
      worker.reading.store(piece.slot->batch.ids[index], std::memory_order_relaxed);
      try {
        fill_row(*piece.slot, index, worker.tile);
      } catch (...) {
        piece.end = row;
        piece.failure = std::current_exception();
      }
    }
    worker.reading.store(kNothing, std::memory_order_relaxed);
  }

  void work(const std::stop_token& stop, Worker& worker) {
    os::block_signals_in_this_thread();
    std::optional<Piece> piece;
    while ((piece = exchange(std::move(piece), stop))) fill(*piece, stop, worker);
  }

  const Dataset& dataset_;
  const Plan& plan_;
  const Augment augment_;
  const LoaderOptions options_;
  const ImageShape shape_;
  std::vector<Worker> workers_;

  std::mutex mutex_;
  std::condition_variable_any work_;  // for the threads: a slot is free
  std::condition_variable
      ready_;  // for next(): the oldest batch is ready, has failed, or will not come
  std::vector<Slot> slots_;
  Slot* newest_ = nullptr;  // the last one that was prepared
  std::int64_t oldest_;     // the batch that next() hands out, or has handed out and not taken back
  std::int64_t unprepared_;          // the first batch that has no slot yet
  std::optional<std::int64_t> end_;  // the first batch that the plan does not have
  bool is_over_ = false;             // nothing more to begin
  bool is_delivered_ = false;

  std::vector<std::jthread> threads_;  // last: they end before what they use
};

Loader::Loader(const Dataset& dataset, const Plan& plan, Augment augment, LoaderOptions options,
               std::int64_t first)
    : ring_(std::make_unique<Ring>(dataset, plan, augment, options, first)) {}

Loader::~Loader() = default;

const Batch* Loader::next() { return ring_->next(); }

}  // namespace lockstep::data
