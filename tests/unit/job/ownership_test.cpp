#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "job/run_directory.hpp"
#include "os/file.hpp"
#include "os/host.hpp"
#include "unit/job/message_of.hpp"
#include "unit/job/temporary_folder.hpp"

namespace lockstep::job {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class OwnershipTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path owner() const { return run_.root() / "OWNER"; }
  [[nodiscard]] nlohmann::json claim() const {
    return nlohmann::json::parse(os::read_text(owner()));
  }

  void write_claim(const std::string& job, const std::string& host,
                   const os::ProcessId& process) const {
    std::filesystem::create_directories(run_.root());
    std::ofstream(owner()) << nlohmann::json(
        {{"job", job}, {"host", host}, {"pid", process.pid}, {"start_time", process.start_time}});
  }

  void make_older(std::chrono::seconds age) const {
    std::filesystem::last_write_time(owner(), std::filesystem::file_time_type::clock::now() - age);
  }

  [[nodiscard]] std::string refusal(const std::string& job) const {
    return message_of(ErrorKind::environment, [&] { const Ownership mine(run_, job); });
  }

  // A process that has ended and been waited for.
  static os::ProcessId gone() {
    const int pid = ::fork();
    if (pid == 0) {
      ::pause();
      ::_exit(0);
    }
    const os::ProcessId process = os::ProcessId::of(pid);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return process;
  }

  TemporaryFolder folder_;
  RunDirectory run_{folder_.path() / "runs" / "a"};
};

TEST_F(OwnershipTest, IsWrittenAndGivenUp) {
  {
    const Ownership mine(run_, "1234");
    EXPECT_EQ(claim().at("job"), "1234");
    EXPECT_EQ(claim().at("host"), os::host_name());
    EXPECT_EQ(claim().at("pid"), os::process_id());
    EXPECT_GT(claim().at("start_time").get<std::uint64_t>(), 0u);
  }
  EXPECT_FALSE(std::filesystem::exists(owner()));
  EXPECT_EQ(refusal("1234"), "");
}

TEST_F(OwnershipTest, OfALiveProcessOnThisHostIsRefusedWithJobAndHost) {
  const Ownership first(run_, "1234");
  EXPECT_THAT(refusal("99"), AllOf(HasSubstr("job 1234"), HasSubstr(os::host_name()),
                                   HasSubstr(run_.root().string()), HasSubstr("remove")));
  EXPECT_TRUE(std::filesystem::exists(owner()));
}

TEST_F(OwnershipTest, OfTheSameJobIsRefusedWhileItsProcessLives) {
  const Ownership first(run_, "1234");
  EXPECT_THAT(refusal("1234"), HasSubstr("belongs to job 1234"));
}

TEST_F(OwnershipTest, OfALiveProcessWithoutAJobIsRefusedHoweverOld) {
  const Ownership first(run_, "");
  make_older(1h);
  EXPECT_THAT(refusal(""), HasSubstr("a run without a Slurm job"));
}

TEST_F(OwnershipTest, OfADeadProcessOnThisHostIsTakenOver) {
  write_claim("1234", os::host_name(), gone());
  const Ownership mine(run_, "99");
  EXPECT_EQ(claim().at("job"), "99");
}

TEST_F(OwnershipTest, OfAReusedPidIsTakenOver) {
  os::ProcessId other = os::ProcessId::of(os::process_id());
  ++other.start_time;
  write_claim("1234", os::host_name(), other);
  const Ownership mine(run_, "99");
  EXPECT_EQ(claim().at("job"), "99");
}

TEST_F(OwnershipTest, OfAnotherHostIsRefusedUntilItIsTwoMinutesOld) {
  write_claim("1234", "node-zz", {1, 1});
  EXPECT_THAT(refusal("99"), AllOf(HasSubstr("job 1234 on node-zz"), HasSubstr("sign of life")));
  make_older(110s);
  EXPECT_THAT(refusal("99"), HasSubstr("node-zz"));
  make_older(130s);
  EXPECT_EQ(refusal("99"), "");
}

TEST_F(OwnershipTest, OfARequeuedJobIsTakenOverAtOnce) {
  write_claim("1234", "node-zz", {1, 1});
  EXPECT_EQ(refusal("1234"), "");
}

TEST_F(OwnershipTest, WithoutAJobIsNeverTheSameJob) {
  write_claim("", "node-zz", {1, 1});
  EXPECT_THAT(refusal(""), HasSubstr("node-zz"));
}

TEST_F(OwnershipTest, OfAnUnreadableClaimDependsOnItsAge) {
  std::filesystem::create_directories(run_.root());
  for (const std::string text : {"", "{", "3", "{\"job\": 7}"}) {
    std::ofstream(owner()) << text;
    EXPECT_THAT(refusal("99"), HasSubstr("somebody whose claim cannot be read"));
    make_older(130s);
    EXPECT_EQ(refusal("99"), "");
  }
}

TEST_F(OwnershipTest, LeavesNothingBehindButTheClaim) {
  write_claim("1234", os::host_name(), gone());
  const Ownership mine(run_, "99");
  EXPECT_EQ(os::list_folder(run_.root()), std::vector<std::string>{"OWNER"});
}

TEST_F(OwnershipTest, RefreshTouchesTheClaimWhenItIsDue) {
  Ownership mine(run_, "99", {.touch_every = 0s, .stale_after = 120s});
  make_older(1h);
  const auto before = std::filesystem::last_write_time(owner());
  mine.refresh();
  EXPECT_GT(std::filesystem::last_write_time(owner()), before + 59min);
}

TEST_F(OwnershipTest, RefreshCostsNothingBeforeItIsDue) {
  Ownership mine(run_, "99");
  make_older(1h);
  const auto before = std::filesystem::last_write_time(owner());
  mine.refresh();
  EXPECT_EQ(std::filesystem::last_write_time(owner()), before);
}

TEST_F(OwnershipTest, RefreshRenewsAClaimThatWasRemoved) {
  Ownership mine(run_, "99", {.touch_every = 0s, .stale_after = 120s});
  std::filesystem::remove(owner());
  mine.refresh();
  EXPECT_EQ(claim().at("job"), "99");
}

TEST_F(OwnershipTest, RefreshEndsARunThatWasTakenOver) {
  {
    Ownership mine(run_, "99", {.touch_every = 0s, .stale_after = 120s});
    write_claim("1234", "node-zz", {1, 1});
    EXPECT_THAT(message_of(ErrorKind::environment, [&] { mine.refresh(); }),
                HasSubstr("taken over by job 1234 on node-zz"));
  }
  // And the claim of the other stays.
  EXPECT_EQ(claim().at("job"), "1234");
}

TEST_F(OwnershipTest, OfSeveralThatStartAtOnceOneWins) {
  write_claim("1234", os::host_name(), gone());
  constexpr int kStarters = 4;
  std::vector<int> children;
  int lines[2];
  ASSERT_EQ(::pipe(lines), 0);
  for (int i = 0; i < kStarters; ++i) {
    const int pid = ::fork();
    if (pid == 0) {
      // Each says how it went, and the winner holds its claim until all have been heard.
      char word = 'l';
      try {
        const Ownership mine(run_, "");
        word = 'w';
        if (::write(lines[1], &word, 1) == 1) ::pause();
      } catch (const Error&) {
        if (::write(lines[1], &word, 1) == 1) ::_exit(0);
      }
      ::_exit(1);
    }
    children.push_back(pid);
  }
  int winners = 0;
  for (int i = 0; i < kStarters; ++i) {
    char word = '?';
    ASSERT_EQ(::read(lines[0], &word, 1), 1);
    winners += word == 'w' ? 1 : 0;
  }
  for (const int pid : children) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  ::close(lines[0]);
  ::close(lines[1]);
  EXPECT_EQ(winners, 1);
}

}  // namespace
}  // namespace lockstep::job
