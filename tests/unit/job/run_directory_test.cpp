#include "job/run_directory.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "unit/job/message_of.hpp"
#include "unit/job/temporary_folder.hpp"

namespace lockstep::job {
namespace {

TEST(RunDirectory, NamesWhatLiesInIt) {
  const RunDirectory run("/runs/a");
  EXPECT_EQ(run.config(), "/runs/a/config.yaml");
  EXPECT_EQ(run.metrics(), "/runs/a/metrics.jsonl");
  EXPECT_EQ(run.stop_file(), "/runs/a/STOP");
  EXPECT_EQ(run.done_file(), "/runs/a/DONE");
  EXPECT_EQ(run.attempt(1), "/runs/a/attempts/0001");
  EXPECT_EQ(run.outcome(12), "/runs/a/attempts/0012/outcome.json");
  EXPECT_EQ(run.rank_outcome(3, 7), "/runs/a/attempts/0003/rank-0007.json");
  EXPECT_EQ(run.rank_outcome(12345, 12345), "/runs/a/attempts/12345/rank-12345.json");
}

TEST(RunDirectory, CountsAttemptsFromOne) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  EXPECT_EQ(run.next_attempt(std::nullopt), 1);
  std::filesystem::create_directories(run.attempt(1));
  std::filesystem::create_directories(run.attempt(9));
  std::filesystem::create_directories(run.attempt(10));
  std::filesystem::create_directories(folder.path() / "attempts" / "0099-copy");
  EXPECT_EQ(run.next_attempt(std::nullopt), 11);
}

TEST(RunDirectory, TakesTheAttemptThatIsGiven) {
  const TemporaryFolder folder;
  const RunDirectory run(folder.path());
  EXPECT_EQ(run.next_attempt(5), 5);
  EXPECT_NE(message_of(ErrorKind::usage, [&] { static_cast<void>(run.next_attempt(0)); }), "");
}

}  // namespace
}  // namespace lockstep::job
