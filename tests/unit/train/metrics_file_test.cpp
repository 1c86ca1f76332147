#include "train/metrics_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/temp_folder.hpp"

namespace lockstep::train {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

class Metrics : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "metrics.jsonl"; }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path()).rdbuf();
    return text.str();
  }
  std::vector<Json> lines() const {
    std::vector<Json> result;
    std::ifstream file(path());
    for (std::string line; std::getline(file, line);) result.push_back(Json::parse(line));
    return result;
  }
  static StepResult step(std::int64_t number, double loss) {
    StepResult result{.progress = {.step = number, .steps = 10, .epoch = 1, .samples = 8 * number},
                      .loss = loss,
                      .rate = 0.1,
                      .images_per_s = 100,
                      .ids_hash = 0xABC,
                      .busy_of_rank_s = {}};
    for (std::size_t i = 0; i < kPhases; ++i) result.seconds[i] = static_cast<double>(i + 1);
    return result;
  }

  test::TempFolder folder_;
};

TEST_F(Metrics, BeginEveryLineWithItsEvent) {
  {
    MetricsFile file(path(), 2);
    file.start({{"run", "example"}, {"world", 4}});
    file.after_step(step(1, 0.5));
    file.after_evaluation({.progress = {.step = 1}, .samples = 21, .top1 = 0.5});
    file.after_save({.progress = {.step = 1}, .path = "step-000000001", .bytes = 10});
    file.at_stop({.progress = {.step = 1}, .stop = Stop::signalled});
  }
  std::vector<std::string> events;
  for (const Json& line : lines()) {
    EXPECT_EQ(line.begin().key(), "event");
    events.push_back(line.at("event"));
  }
  EXPECT_THAT(events, ElementsAre("start", "step", "eval", "checkpoint", "stop"));
}

TEST_F(Metrics, SayWhatAStepWas) {
  {
    MetricsFile file(path(), 2);
    file.after_step(step(3, 0.5));
  }
  const Json line = lines().at(0);
  EXPECT_EQ(line.at("attempt"), 2);
  EXPECT_EQ(line.at("step"), 3);
  EXPECT_EQ(line.at("epoch"), 1);
  EXPECT_EQ(line.at("samples"), 24);
  EXPECT_EQ(line.at("loss"), 0.5);
  EXPECT_EQ(line.at("lr"), 0.1);
  EXPECT_EQ(line.at("images_per_s"), 100);
  // 1 to 8 for the eight phases, evaluating left out of the step.
  const Json seconds = line.at("seconds");
  EXPECT_EQ(seconds.at("step"), 36 - static_cast<int>(Phase::evaluation) - 1);
  double parts = 0;
  for (const auto& [key, value] : seconds.items()) parts += key == "step" ? 0 : value.get<double>();
  EXPECT_DOUBLE_EQ(parts, seconds.at("step").get<double>());
}

TEST_F(Metrics, SayHowARunStopped) {
  {
    MetricsFile file(path(), 1);
    file.at_stop({.progress = {.step = 7, .samples = 56}, .stop = Stop::diverged});
  }
  const Json line = lines().at(0);
  EXPECT_EQ(line.at("code"), 76);
  EXPECT_EQ(line.at("reason"), "diverged");
  EXPECT_EQ(line.at("step"), 7);
  EXPECT_EQ(line.at("samples"), 56);
}

TEST_F(Metrics, WriteALossThatIsNoNumberAsNull) {
  {
    MetricsFile file(path(), 1);
    file.after_step(step(1, std::numeric_limits<double>::quiet_NaN()));
    file.after_step(step(2, std::numeric_limits<double>::infinity()));
    file.after_evaluation({.progress = {}, .loss = std::numeric_limits<double>::quiet_NaN()});
  }
  ASSERT_EQ(lines().size(), 3U);
  for (const Json& line : lines()) EXPECT_TRUE(line.at("loss").is_null()) << line;
}

TEST_F(Metrics, AreContinuedAndNeverRewritten) {
  { MetricsFile(path(), 1).after_step(step(1, 0.5)); }
  const std::string before = content();
  { MetricsFile(path(), 2).after_step(step(1, 0.25)); }
  EXPECT_EQ(content().substr(0, before.size()), before);
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(lines().at(0).at("attempt"), 1);
  EXPECT_EQ(lines().at(1).at("attempt"), 2);
}

TEST_F(Metrics, CloseALineThatWasTornSoThatTheNextOneStandsAlone) {
  std::ofstream(path()) << "{\"event\":\"step\",\"step\":1}\n{\"event\":\"st";
  { MetricsFile(path(), 2).after_step(step(2, 0.5)); }
  std::istringstream text(content());
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);) found.push_back(line);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1], "{\"event\":\"st");
  EXPECT_EQ(Json::parse(found[2]).at("step"), 2);
  EXPECT_EQ(content().back(), '\n');
}

TEST_F(Metrics, ReachTheFileAtOnceForAllButSteps) {
  MetricsFile file(path(), 1);
  file.start({{"run", "example"}});
  EXPECT_EQ(lines().size(), 1U);
  file.after_evaluation({});
  EXPECT_EQ(lines().size(), 2U);
  file.at_stop({});
  EXPECT_EQ(lines().size(), 3U);
}

}  // namespace
}  // namespace lockstep::train
