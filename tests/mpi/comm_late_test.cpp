// Ranks that come late, go elsewhere or not at all: the others say who it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "comm/factory.hpp"
#include "comm/peer_error.hpp"
#include "os/host.hpp"
#include "support/mpi_main.hpp"

namespace lockstep::comm {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using tests::world;

int last() { return world().size() - 1; }
bool is_last() { return world().rank() == last(); }
std::string name_of(int rank) { return "rank " + std::to_string(rank) + " on " + os::host_name(); }

MakeOptions impatient(Clock::duration patience) {
  return {.patience = [patience] { return patience; },
          .phase = [] { return "phase of " + std::to_string(world().rank()); },
          .grace = 400ms};
}

PeerError error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const PeerError& error) {
    return error;
  }
  return {-2, "nobody", "nothing was thrown"};
}

class Late : public testing::Test {
 protected:
  void SetUp() override {
    if (world().size() < 2) GTEST_SKIP() << "one rank waits for nobody";
  }
  std::vector<float> values_ = std::vector<float>(100, 1.0F);
  BufferView view_ = view_of(std::span<float>(values_));
};

TEST_F(Late, ARankThatDoesNotComeIsNamedAndFindsOutLater) {
  const auto comm = make("mpi", world(), impatient(100ms));
  const auto call = [&] { comm->all_reduce(view_, ReduceOp::sum).wait(); };
  if (!is_last()) {
    const PeerError error = error_of(call);
    EXPECT_EQ(error.culprit_rank(), last()) << error.what();
    EXPECT_EQ(error.culprit(), name_of(last()));
    EXPECT_EQ(error.kind(), ErrorKind::peer);
    EXPECT_THAT(error.what(), HasSubstr(name_of(last())));
    EXPECT_THAT(error.what(), HasSubstr("all_reduce of 100 f32"));
    EXPECT_THAT(error.what(), HasSubstr("did not come"));
  }
  world().barrier();
  if (is_last()) {
    const PeerError error = error_of(call);
    EXPECT_EQ(error.culprit_rank(), last());
    EXPECT_THAT(error.what(), HasSubstr("gave up"));
  }
  world().barrier();
}

TEST_F(Late, AWaitThatHasBegunIsShortenedWhenThePatienceShrinks) {
  std::atomic<int> asked = 0;
  MakeOptions options = impatient(100ms);
  options.patience = [&asked]() -> Clock::duration {
    return ++asked < 50 ? Clock::duration(1h) : Clock::duration(50ms);
  };
  const auto comm = make("mpi", world(), options);
  if (!is_last()) {
    const auto began = Clock::now();
    EXPECT_EQ(error_of([&] { comm->barrier().wait(); }).culprit_rank(), last());
    EXPECT_LT(seconds(Clock::now() - began), 10.0);
  }
  world().barrier();
}

TEST_F(Late, ARankThatComesWithinThePatienceIsNoError) {
  const auto comm = make("mpi", world(), impatient(10s));
  if (is_last()) std::this_thread::sleep_for(150ms);
  comm->all_reduce(view_, ReduceOp::sum).wait();
  EXPECT_EQ(values_.back(), static_cast<float>(world().size()));
}

TEST_F(Late, WhoWaitsElsewhereIsToldApartFromWhoIsMissing) {
  if (world().size() < 3) GTEST_SKIP() << "needs one that waits, one elsewhere, one missing";
  // One gives up, so that the sentence is its own.
  const auto comm =
      make("mpi", world(), impatient(world().rank() == 0 ? Clock::duration(100ms) : 30s));
  if (world().rank() == 0) {
    const PeerError error = error_of([&] { comm->all_reduce(view_, ReduceOp::sum).wait(); });
    EXPECT_EQ(error.culprit_rank(), last()) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(name_of(1)));
    EXPECT_THAT(error.what(), HasSubstr("is elsewhere: in barrier, collective 1, phase of 1"));
  } else if (!is_last()) {
    EXPECT_EQ(error_of([&] { comm->barrier().wait(); }).culprit_rank(), last());
  }
  world().barrier();
}

TEST_F(Late, RanksThatCallDifferentThingsAllLearnWho) {
  const auto comm = make("mpi", world(), impatient(30s));
  comm->barrier().wait();
  const PeerError error = error_of([&] {
    if (is_last()) {
      comm->broadcast(view_, 0).wait();
    } else {
      comm->all_reduce(view_, ReduceOp::sum).wait();
    }
  });
  EXPECT_EQ(error.culprit_rank(), last()) << error.what();
  EXPECT_THAT(error.what(), HasSubstr("called broadcast of 100 f32 (400 B), root 0, collective 2"));
}

TEST_F(Late, RanksThatBringDifferentSizesAllLearnWho) {
  const auto comm = make("mpi", world(), impatient(30s));
  const PeerError error = error_of(
      [&] { comm->all_reduce(view_.slice(0, is_last() ? 99 : 100), ReduceOp::sum).wait(); });
  EXPECT_EQ(error.culprit_rank(), last()) << error.what();
}

TEST_F(Late, AThreadDeliversTheErrorAtTheWaitAndFailsWhatWasQueuedBehind) {
  const auto comm = on_a_thread(make("mpi", world(), impatient(100ms)));
  if (!is_last()) {
    std::vector<float> more = values_;
    Pending first = comm->all_reduce(view_, ReduceOp::sum);
    Pending second = comm->all_reduce(view_of(std::span<float>(more)), ReduceOp::sum);
    EXPECT_EQ(error_of([&] { first.wait(); }).culprit_rank(), last());
    EXPECT_EQ(error_of([&] { second.wait(); }).culprit_rank(), last());
  }
  world().barrier();
}

}  // namespace
}  // namespace lockstep::comm
