#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "comm/factory.hpp"
#include "core/error.hpp"
#include "os/signals.hpp"

namespace lockstep::comm {
namespace {

using Work = std::packaged_task<void()>;

/// Work in order, by one thread that sleeps while there is none.
class Worker {
 public:
  Worker() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

  std::future<void> add(std::function<void()> function) {
    Work work(std::move(function));
    std::future<void> result = work.get_future();
    {
      const std::scoped_lock lock(mutex_);
      queue_.push_back(std::move(work));
    }
    changed_.notify_one();
    return result;
  }

 private:
  void run(const std::stop_token& stop) {
    os::block_signals_in_this_thread();
    while (true) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !queue_.empty(); }) || stop.stop_requested())
        return;
      Work work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Work> queue_;
  std::jthread thread_;  // last: it ends before what it uses
};

class Queued final : public Pending::Operation {
 public:
  explicit Queued(std::future<void> result) : result_(std::move(result)) {}

  // The limit of this wait is the inner communicator's.
  void wait() override { result_.get(); }

 private:
  std::future<void> result_;
};

class ThreadCommunicator final : public Communicator {
 public:
  explicit ThreadCommunicator(std::unique_ptr<Communicator> inner) : inner_(std::move(inner)) {
    expect(inner_ != nullptr, "on_a_thread is given a communicator");
  }

  std::string_view name() const noexcept override { return inner_->name(); }
  int rank() const noexcept override { return inner_->rank(); }
  int size() const noexcept override { return inner_->size(); }

  Pending all_reduce(BufferView inout, ReduceOp op) override {
    return later([=, this] { return inner_->all_reduce(inout, op); });
  }
  Pending reduce_scatter(BufferView in, BufferView out, ReduceOp op) override {
    return later([=, this] { return inner_->reduce_scatter(in, out, op); });
  }
  Pending all_gather(BufferView in, BufferView out) override {
    return later([=, this] { return inner_->all_gather(in, out); });
  }
  Pending broadcast(BufferView inout, int root) override {
    return later([=, this] { return inner_->broadcast(inout, root); });
  }
  Pending barrier() override {
    return later([this] { return inner_->barrier(); });
  }

  void close() override {
    worker_.add([this] { inner_->close(); }).get();
  }

 private:
  Pending later(std::function<Pending()> start) {
    return Pending(std::make_unique<Queued>(
        worker_.add([this, start = std::move(start)] { carry_out(start); })));
  }

  // After a failure the order of collectives is broken: what was queued behind it fails for the
  // same reason.
  void carry_out(const std::function<Pending()>& start) {
    if (failure_) std::rethrow_exception(failure_);
    try {
      start().wait();
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
  }

  std::unique_ptr<Communicator> inner_;
  std::exception_ptr failure_;  // the worker's own
  Worker worker_;               // last: it ends before what it uses
};

}  // namespace

std::unique_ptr<Communicator> on_a_thread(std::unique_ptr<Communicator> inner) {
  return std::make_unique<ThreadCommunicator>(std::move(inner));
}

}  // namespace lockstep::comm
