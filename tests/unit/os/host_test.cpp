#include "os/host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

namespace lockstep::os {
namespace {

/// A child that waits until it is killed.
class Child {
 public:
  explicit Child(const char* name) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_NAME, name);
    for (;;) ::pause();
  }
  ~Child() {
    kill_without_reaping();
    reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] int pid() const { return pid_; }
  /// Returns when it is a zombie.
  void kill_without_reaping() const {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  void reap() {
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  int pid_;
};

TEST(ProcessId, OfThisProcessIsAlive) {
  const ProcessId self = ProcessId::of(process_id());
  EXPECT_GT(self.start_time, 0U);
  EXPECT_TRUE(self.is_alive());
}

TEST(ProcessId, AChildIsAliveUntilItIsKilled) {
  Child child("child");
  const ProcessId id = ProcessId::of(child.pid());
  EXPECT_TRUE(id.is_alive());
  child.kill_without_reaping();
  EXPECT_FALSE(id.is_alive()) << "a zombie does not answer any more";
  child.reap();
  EXPECT_FALSE(id.is_alive());
}

TEST(ProcessId, ANameWithBlanksAndParenthesesDoesNotConfuse) {
  const Child child("a) Z (b");
  const ProcessId id = ProcessId::of(child.pid());
  EXPECT_GT(id.start_time, 0U);
  EXPECT_TRUE(id.is_alive());
}

TEST(ProcessId, AnotherProcessWithTheSamePidIsNotIt) {
  ProcessId earlier = ProcessId::of(process_id());
  --earlier.start_time;
  EXPECT_FALSE(earlier.is_alive());
}

TEST(Environment, HoldsVariablesWithEqualSignsInTheirValue) {
  ::setenv("LOCKSTEP_HOST_TEST", "a=b=c", 1);
  const Environment now = environment();
  ::unsetenv("LOCKSTEP_HOST_TEST");
  ASSERT_TRUE(now.contains("LOCKSTEP_HOST_TEST"));
  EXPECT_EQ(now.at("LOCKSTEP_HOST_TEST"), "a=b=c");
  EXPECT_FALSE(environment().contains("LOCKSTEP_HOST_TEST"));
}

TEST(Host, CountsTheCoresOfTheMask) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(usable_cores(), CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &before)) {
      CPU_SET(core, &one);
      break;
    }
  }
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1);
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Host, KnowsItsNameProgramAndLibraries) {
  EXPECT_FALSE(host_name().empty());
  EXPECT_EQ(std::filesystem::path(program_path()).filename(), "unit_os");
  EXPECT_THAT(loaded_libraries(), testing::Contains(testing::HasSubstr("libc.so")));
  EXPECT_GT(peak_resident_bytes(), 1'000'000U);
}

}  // namespace
}  // namespace lockstep::os
