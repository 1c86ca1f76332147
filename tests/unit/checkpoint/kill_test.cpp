#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>

#include "core/philox.hpp"
#include "os/file.hpp"
#include "runs.hpp"
#include "support/temp_folder.hpp"

namespace lockstep {
namespace {

/// Runs `body` in a child; true if it was killed before its end.
bool is_killed(
    const std::function<void()>& body, const std::function<void(pid_t)>& meanwhile = [](pid_t) {}) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  meanwhile(child);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

void save_and_prune(checkpoint::Group& group, const std::filesystem::path& root, int step) {
  test::Part model = test::odd_shapes(static_cast<std::uint32_t>(step));
  test::Part random = test::own_state(group.rank(), step);
  const std::array<checkpoint::Saveable*, 2> state{&model, &random};
  checkpoint::Checkpointer checkpointer(root, group, "first");
  checkpointer.save(test::facts_of(step), state);
  checkpointer.prune(1);
}

int newest_number(const std::filesystem::path& root) {
  const auto steps = checkpoint::Catalog(root).steps;
  return steps.empty()
             ? 0
             : static_cast<int>(checkpoint::parse_step_name(steps[0].filename().string()).value());
}

/// Both ranks die just before the n-th time that one of them meets the others, for every n.
TEST(Kill, BetweenAnyTwoCollectivesLeavesTheOldStepOrTheNew) {
  const test::TempFolder folder;
  test::expect_saved(2, folder.path(), 1);
  int points = 0;
  int newest = 1;
  bool was_killed = true;
  for (int n = 1; was_killed; ++n) {
    ASSERT_LT(n, 200);
    const int step = newest + 1;
    was_killed = is_killed([&] {
      std::atomic<int> meetings = 0;
      (void)test::run_ranks(
          2, [&](checkpoint::Group& group) { save_and_prune(group, folder.path(), step); },
          [&] {
            if (++meetings == n) ::kill(::getpid(), SIGKILL);
          });
    });
    points += was_killed ? 1 : 0;
    const int found = newest_number(folder.path());
    EXPECT_TRUE(found == newest || found == step) << "killed at meeting " << n;
    EXPECT_TRUE(test::expect_loads(1 + n % 3, folder.path(), found, 2).empty());
    newest = found;
  }
  EXPECT_GE(points, 10);
  // Nothing of the dead attempts stays.
  test::expect_saved(2, folder.path(), newest + 1);
  EXPECT_TRUE(checkpoint::Catalog(folder.path()).temporary.empty());
}

TEST(Kill, AtARandomTimeLeavesAStepThatLoads) {
  const test::TempFolder folder;
  test::expect_saved(2, folder.path(), 1);
  Philox random(4, 2);
  int killed = 0;
  for (int i = 0; i < 20; ++i) {
    const int newest = newest_number(folder.path());
    killed += is_killed(
                  [&] {
                    (void)test::run_ranks(2, [&](checkpoint::Group& group) {
                      for (int step = newest + 1; step < newest + 100; ++step)
                        save_and_prune(group, folder.path(), step);
                    });
                  },
                  [&](pid_t child) {
                    ::usleep(1000 + random.below(60000));
                    EXPECT_EQ(::kill(child, SIGKILL), 0);
                  })
                  ? 1
                  : 0;
    const int found = newest_number(folder.path());
    EXPECT_GE(found, newest);
    EXPECT_TRUE(test::expect_loads(1, folder.path(), found, 2).empty());
  }
  EXPECT_EQ(killed, 20);
}

TEST(Kill, InTheFirstSaveOfARunLeavesNothingToResumeFrom) {
  const test::TempFolder folder;
  EXPECT_TRUE(is_killed([&] {
    std::atomic<int> meetings = 0;
    (void)test::run_ranks(
        2, [&](checkpoint::Group& group) { save_and_prune(group, folder.path(), 1); },
        [&] {
          if (!checkpoint::Catalog(folder.path()).temporary.empty() && ++meetings == 2)
            ::kill(::getpid(), SIGKILL);
        });
  }));
  EXPECT_EQ(checkpoint::Catalog(folder.path()).temporary.size(), 1U);
  EXPECT_THAT(test::load_errors(2, folder.path()), testing::Each(""));
}

}  // namespace
}  // namespace lockstep
