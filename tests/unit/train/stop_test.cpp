#include "train/stop.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <set>

#include "support/temp_folder.hpp"
#include "train/resume.hpp"
#include "train/stop_rules.hpp"

namespace lockstep::train {
namespace {

using std::chrono::system_clock;

TEST(Stop, EndsWithTheCodesOfTheTable) {
  EXPECT_EQ(exit_code(Stop::finished), job::ExitCode::done);
  EXPECT_EQ(exit_code(Stop::stop_file), job::ExitCode::stopped);
  EXPECT_EQ(exit_code(Stop::deadline), job::ExitCode::stopped);
  EXPECT_EQ(exit_code(Stop::signalled), job::ExitCode::stopped);
  EXPECT_EQ(exit_code(Stop::diverged), job::ExitCode::diverged);
  // A run that ends without a reason is a defect, not a success.
  EXPECT_EQ(exit_code(Stop::no), job::ExitCode::internal);
}

TEST(Stop, HasAnotherNameAndSentenceForEachReason) {
  std::set<std::string_view> names;
  std::set<std::string_view> sentences;
  for (std::size_t i = 0; i < kStops; ++i) {
    names.insert(name(static_cast<Stop>(i)));
    sentences.insert(sentence(static_cast<Stop>(i)));
  }
  EXPECT_EQ(names.size(), kStops);
  EXPECT_EQ(sentences.size(), kStops);
  EXPECT_EQ(names.count("unknown"), 0U);
}

TEST(StopRules, SayNoWhereNothingAsks) {
  const os::StopSignals signals;
  StopRules rules(signals, {});
  EXPECT_EQ(rules.vote(1000), Stop::no);
}

TEST(StopRules, SeeTheStopFile) {
  const test::TempFolder folder;
  const os::StopSignals signals;
  const auto file = folder.path() / "STOP";
  StopRules before(signals, {.stop_file = file, .deadline = {}});
  EXPECT_EQ(before.vote(0), Stop::no);
  std::ofstream(file).put('\n');
  StopRules after(signals, {.stop_file = file, .deadline = {}});
  EXPECT_EQ(after.vote(0), Stop::stop_file);
}

TEST(StopRules, BeginEarlyEnoughBeforeTheDeadline) {
  const os::StopSignals signals;
  StopRules rules(signals,
                  {.stop_file = {}, .deadline = system_clock::now() + std::chrono::seconds(100)});
  EXPECT_EQ(rules.vote(50), Stop::no);
  EXPECT_EQ(rules.vote(200), Stop::deadline);
}

TEST(StopRules, LetASignalOutweighTheRest) {
  const test::TempFolder folder;
  std::ofstream(folder.path() / "STOP").put('\n');
  const os::StopSignals signals;
  StopRules rules(signals, {.stop_file = folder.path() / "STOP",
                            .deadline = system_clock::now() - std::chrono::seconds(1)});
  EXPECT_EQ(rules.vote(0), Stop::deadline);
  std::raise(SIGUSR1);
  EXPECT_EQ(rules.vote(0), Stop::signalled);
}

TEST(Resume, KnowsTheTwoWordsAndTakesTheRestForADirectory) {
  EXPECT_EQ(Resume::parse("auto").from, Resume::From::newest);
  EXPECT_EQ(Resume::parse("none").from, Resume::From::nothing);
  const Resume exact = Resume::parse("checkpoints/run/step-000000012");
  EXPECT_EQ(exact.from, Resume::From::directory);
  EXPECT_EQ(exact.directory, "checkpoints/run/step-000000012");
}

}  // namespace
}  // namespace lockstep::train
