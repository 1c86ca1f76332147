#include "os/signals.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string_view>
#include <thread>

namespace lockstep::os {
namespace {

/// waitpid's status of a forked child that runs `action` and then ends with 0.
int status_of_child(const std::function<void()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    action();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(StopSignals, BeforeAnySignalNothingWasReceived) {
  const StopSignals signals;
  EXPECT_EQ(signals.received(), std::nullopt);
  EXPECT_FALSE(signals.terminated());
}

TEST(StopSignals, EachOfThemIsReceived) {
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) {
    const StopSignals signals;
    ::raise(number);
    EXPECT_EQ(signals.received(), number);
    EXPECT_EQ(signals.terminated(), number == SIGTERM);
  }
}

TEST(StopSignals, TheFirstIsKeptAndSigtermStillNoticed) {
  const StopSignals signals;
  ::raise(SIGUSR1);
  ::raise(SIGTERM);
  EXPECT_EQ(signals.received(), SIGUSR1);
  EXPECT_TRUE(signals.terminated());
}

TEST(StopSignals, ANewInstanceBeginsAnew) {
  {
    const StopSignals signals;
    ::raise(SIGTERM);
  }
  const StopSignals signals;
  EXPECT_EQ(signals.received(), std::nullopt);
  EXPECT_FALSE(signals.terminated());
}

TEST(StopSignals, TwoInterruptsOnlyAskAndTheThirdEnds) {
  const int after_two = status_of_child([] {
    const StopSignals signals;
    ::raise(SIGINT);
    ::raise(SIGINT);
  });
  ASSERT_TRUE(WIFEXITED(after_two));
  EXPECT_EQ(WEXITSTATUS(after_two), 0);

  const int after_three = status_of_child([] {
    const StopSignals signals;
    for (int i = 0; i < 3; ++i) ::raise(SIGINT);
  });
  ASSERT_TRUE(WIFEXITED(after_three));
  EXPECT_EQ(WEXITSTATUS(after_three), 128 + SIGINT);
}

TEST(StopSignals, ManySignalsOfOtherKindsNeverEnd) {
  const int status = status_of_child([] {
    const StopSignals signals;
    for (int i = 0; i < 5; ++i) {
      for (const int number : {SIGTERM, SIGUSR1, SIGUSR2}) ::raise(number);
    }
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(StopSignals, PutsBackAHandlerThatALibraryReplaced) {
  StopSignals signals;
  EXPECT_FALSE(signals.reinstall());
  ::signal(SIGUSR1, SIG_IGN);
  EXPECT_TRUE(signals.reinstall());
  EXPECT_FALSE(signals.reinstall());
  ::raise(SIGUSR1);
  EXPECT_EQ(signals.received(), SIGUSR1);
}

TEST(StopSignals, AtItsEndSignalsAreDeadlyAgain) {
  const int status = status_of_child([] {
    { const StopSignals signals; }
    ::raise(SIGTERM);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(HelperThread, BlocksStopSignalsButNotFaults) {
  sigset_t blocked;
  sigemptyset(&blocked);
  std::thread([&blocked] {
    block_signals_in_this_thread();
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  }).join();
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2})
    EXPECT_EQ(sigismember(&blocked, number), 1);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    EXPECT_EQ(sigismember(&blocked, number), 0);
}

TEST(SignalName, SpeaksTheNamesPeopleKnow) {
  EXPECT_EQ(std::string_view(signal_name(SIGTERM)), "SIGTERM");
  EXPECT_EQ(std::string_view(signal_name(SIGUSR2)), "SIGUSR2");
  EXPECT_EQ(std::string_view(signal_name(SIGWINCH)), "signal");
}

}  // namespace
}  // namespace lockstep::os
