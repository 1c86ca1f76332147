#include "checkpoint/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace lockstep::checkpoint {
namespace {

TEST(Catalog, TakesOnlyNamesThatItMakes) {
  EXPECT_EQ(parse_step_name("step-000000012"), 12);
  EXPECT_EQ(parse_step_name("step-1234567890123"), 1234567890123);
  for (const char* name : {"step-12", "step-0000000012", "step-000000012.bak", "step-00000001x",
                           "step--00000012", "step-000000012.tmp-1", "Step-000000012", "step-", "",
                           "handpicked", "step-+00000012", "step-99999999999999999999"}) {
    EXPECT_EQ(parse_step_name(name), std::nullopt) << name;
  }
}

TEST(Catalog, OrdersStepsByNumberAndSeesWhatIsLeftOver) {
  const test::TempFolder folder;
  for (const char* name : {"step-000009900", "step-000010000", "step-1000000000", "step-999999999",
                           "handpicked", "step-000000001.tmp-a.1", ".trash-step-000000002-b",
                           "step-000000003.bad-c", "step-7", "mine.tmp-1"}) {
    std::filesystem::create_directory(folder.path() / name);
  }
  const Catalog catalog(folder.path());
  const auto path = [&](const char* name) { return folder.path() / name; };
  EXPECT_THAT(catalog.steps, testing::ElementsAre(path("step-1000000000"), path("step-999999999"),
                                                  path("step-000010000"), path("step-000009900")));
  EXPECT_THAT(catalog.temporary, testing::ElementsAre(path("step-000000001.tmp-a.1")));
  EXPECT_THAT(catalog.moved_aside, testing::ElementsAre(path("step-000000003.bad-c")));
  EXPECT_THAT(catalog.trash, testing::ElementsAre(path(".trash-step-000000002-b")));
}

TEST(Catalog, IsEmptyWhereThereIsNoFolder) {
  EXPECT_TRUE(Catalog(std::filesystem::path("/nonexistent/run")).steps.empty());
}

}  // namespace
}  // namespace lockstep::checkpoint
