#include "comm/roster.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace lockstep::comm {
namespace {

/// A process that sleeps until it is killed.
class Child {
 public:
  Child() : pid_(::fork()) {
    if (pid_ == 0) {
      ::alarm(20);  // never outlives a test that crashed by much
      ::pause();
      ::_exit(0);
    }
  }
  ~Child() { reap(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int pid() const { return pid_; }
  /// Dead, but its entry is there until reap().
  void kill() const {
    ::kill(pid_, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  void reap() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  int pid_;
};

Roster::Member member(const std::string& host, int pid) {
  return {{host, pid}, os::ProcessId::of(pid).start_time};
}

TEST(Roster, FindsANeighbourThatDied) {
  Child child;
  const Roster roster({member("here", ::getpid()), member("here", child.pid())}, 0);
  EXPECT_EQ(roster.find_gone(), std::nullopt);
  child.kill();
  EXPECT_EQ(roster.find_gone(), 1);
  child.reap();
  EXPECT_EQ(roster.find_gone(), 1);
}

TEST(Roster, KnowsNothingOfProcessesOnOtherHosts) {
  Child child;
  const Roster roster({member("here", ::getpid()), member("there", child.pid())}, 0);
  child.reap();
  EXPECT_EQ(roster.find_gone(), std::nullopt);
}

TEST(Roster, IgnoresAPidThatBelongsToSomebodyElse) {
  Child child;
  Roster::Member from_a_container = member("here", child.pid());
  from_a_container.start_time += 1;
  const Roster roster({member("here", ::getpid()), from_a_container}, 0);
  child.reap();
  EXPECT_EQ(roster.find_gone(), std::nullopt);
}

TEST(Roster, NamesRanks) {
  const Roster roster({{{"node-a", 1}, 0}, {{"node-b", 2}, 0}}, 0);
  EXPECT_EQ(roster.name(1), "rank 1 on node-b");
  EXPECT_EQ(roster.list({0, 1}), "rank 0 on node-a (pid 1), rank 1 on node-b (pid 2)");
}

}  // namespace
}  // namespace lockstep::comm
