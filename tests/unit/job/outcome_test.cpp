#include "job/outcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "os/file.hpp"
#include "unit/job/message_of.hpp"
#include "unit/job/temporary_folder.hpp"

namespace lockstep::job {
namespace {

using testing::HasSubstr;

TEST(Outcome, ReadsBackAsWritten) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "attempts" / "0001" / "outcome.json";
  EXPECT_TRUE(
      write_outcome(file, {ExitCode::hang, "no \"answer\" in 30 s", 123, "rank 3 on node-b"}));
  const auto outcome = read_outcome(file);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->code, ExitCode::hang);
  EXPECT_EQ(outcome->reason, "no \"answer\" in 30 s");
  EXPECT_EQ(outcome->step, 123);
  EXPECT_EQ(outcome->culprit, "rank 3 on node-b");
}

TEST(Outcome, IsJsonWithTheAgreedFields) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "outcome.json";
  write_outcome(file, {ExitCode::stopped, "SIGTERM", 7, ""});
  EXPECT_EQ(nlohmann::json::parse(os::read_text(file)),
            nlohmann::json({{"code", 75}, {"reason", "SIGTERM"}, {"step", 7}, {"culprit", ""}}));
}

TEST(Outcome, OfTheFirstWriterStays) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "outcome.json";
  EXPECT_TRUE(write_outcome(file, {ExitCode::io, "first", 1, ""}));
  EXPECT_FALSE(write_outcome(file, {ExitCode::done, "second", 2, ""}));
  EXPECT_EQ(read_outcome(file)->reason, "first");
}

TEST(Outcome, WithBytesThatAreNoUtf8IsWrittenAllTheSame) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "outcome.json";
  EXPECT_TRUE(write_outcome(file, {ExitCode::io, "disk \xff full", 1, ""}));
  EXPECT_THAT(read_outcome(file)->reason, HasSubstr("full"));
}

TEST(Outcome, ThatIsNotThereIsNone) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_outcome(folder.path() / "outcome.json"), std::nullopt);
}

TEST(Outcome, ThatIsGarbageIsAnError) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "outcome.json";
  for (const std::string text : {"", "{", "[]", "{\"code\": 0}",
                                 "{\"code\":3,\"reason\":\"\",\"step\":0,\"culprit\":\"\"}"}) {
    std::ofstream(file) << text;
    EXPECT_THAT(message_of(ErrorKind::io, [&] { static_cast<void>(read_outcome(file)); }),
                HasSubstr("outcome.json: "))
        << text;
  }
}

}  // namespace
}  // namespace lockstep::job
