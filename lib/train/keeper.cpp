#include "train/keeper.hpp"

#include "core/error.hpp"
#include "os/signals.hpp"

namespace lockstep::train {
namespace {

constexpr std::chrono::seconds kRefreshEvery{20};

}  // namespace

Keeper::Keeper(job::Ownership& ownership, std::function<void()> begin)
    : ownership_(ownership),
      begin_(std::move(begin)),
      thread_([this](const std::stop_token& stop) { keep(stop); }) {}

void Keeper::after_step(const StepResult& /*result*/) {
  const std::scoped_lock lock(mutex_);
  if (taken_over_) std::rethrow_exception(taken_over_);
}

void Keeper::keep(const std::stop_token& stop) {
  os::block_signals_in_this_thread();
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(lock, stop, kRefreshEvery, [] { return false; });
    if (stop.stop_requested()) return;
    lock.unlock();  // a file system that hangs must not stop the training
    std::exception_ptr failure;
    try {
      ownership_.refresh();
    } catch (const Error&) {
      failure = std::current_exception();
    }
    lock.lock();
    taken_over_ = failure;
    if (taken_over_) return;
  }
}

}  // namespace lockstep::train
