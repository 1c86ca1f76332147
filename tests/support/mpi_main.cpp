// main() for tests that run on several ranks. Rank 0 prints as usual, the others speak only on
// failure. A test passes if it passes on every rank; one that hangs is named, with its rank, and
// ends the job.
#include "support/mpi_main.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/deadline.hpp"
#include "core/log.hpp"
#include "mpi/session.hpp"
#include "os/host.hpp"

namespace lockstep::tests {
namespace {

constexpr int kExitHang = 77;

const mpi::Comm*& world_place() {
  static const mpi::Comm* place = nullptr;
  return place;
}

std::chrono::duration<double> patience() {
  const char* text = std::getenv("LOCKSTEP_TEST_PATIENCE_S");
  return std::chrono::duration<double>(text == nullptr ? 60.0 : std::strtod(text, nullptr));
}

/// Ends the job if one phase of a test takes longer than the patience.
class Watchdog {
 public:
  explicit Watchdog(int rank)
      : rank_(rank), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

  void expect_soon(std::string what) {
    const std::scoped_lock lock(mutex_);
    what_ = std::move(what);
    deadline_ = Deadline::after(std::chrono::duration_cast<std::chrono::nanoseconds>(patience()));
  }
  void rest() {
    const std::scoped_lock lock(mutex_);
    deadline_.reset();
  }

 private:
  void watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      changed_.wait_for(lock, stop, std::chrono::milliseconds(50), [] { return false; });
      if (!deadline_ || !deadline_->passed()) continue;
      std::fprintf(stderr, "[rank %d] hung: %s\n", rank_, what_.c_str());
      // The others have something to say too.
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      mpi::abort(kExitHang);
    }
  }

  int rank_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string what_;
  std::optional<Deadline> deadline_;
  std::jthread thread_;  // last: it ends before what it uses
};

std::string full_name(const testing::TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

/// Combines the ranks' verdicts at the end of each test.
class Verdict : public testing::EmptyTestEventListener {
 public:
  Verdict(const mpi::Comm& world, Watchdog& watchdog)
      : comm_(world.duplicate()), watchdog_(watchdog) {}

  void OnTestStart(const testing::TestInfo& test) override {
    watchdog_.expect_soon(full_name(test));
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    const bool mine = !test.result()->Failed();
    watchdog_.expect_soon(full_name(test) + (mine ? " passed here" : " failed here") +
                          ", but not all ranks came to its end");
    if (!comm_.all(mine) && mine) ADD_FAILURE() << "passed here, failed on another rank";
    watchdog_.rest();
  }

 private:
  mpi::Comm comm_;
  Watchdog& watchdog_;
};

/// What ranks other than 0 print: failures alone, each as one line or block that says who speaks.
class FailuresOnly : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s:%d: %s\n", rank_,
                 result.file_name() == nullptr ? "unknown" : result.file_name(),
                 result.line_number(), result.message());
  }

 private:
  int rank_;
};

int run_all(const mpi::Comm& world) {
  Watchdog watchdog(world.rank());
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world.rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    delete listeners.Release(listeners.default_xml_generator());
    listeners.Append(new FailuresOnly(world.rank()));  // GoogleTest owns it
  }
  // End events go to the last listener first: the verdict must be in before rank 0 prints it.
  listeners.Append(new Verdict(world, watchdog));
  const int mine = RUN_ALL_TESTS();
  return world.all(mine == 0) ? 0 : 1;
}

}  // namespace

const mpi::Comm& world() { return *world_place(); }

}  // namespace lockstep::tests

int main(int argc, char** argv) {
  lockstep::mpi::Session session(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  const lockstep::mpi::Comm& world = session.world();
  lockstep::tests::world_place() = &world;
  lockstep::log::set_identity(world.rank(), world.size(), lockstep::os::host_name());
  const int code = lockstep::tests::run_all(world);
  session.finalize();
  return code;
}
