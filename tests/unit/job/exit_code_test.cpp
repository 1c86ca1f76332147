#include "job/exit_code.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lockstep::job {
namespace {

TEST(ExitCode, FollowsFromWhoMustAct) {
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::usage)), 64);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::data)), 65);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::environment)), 69);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::peer)), 69);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::internal)), 70);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::io)), 74);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::diverged)), 76);
  EXPECT_EQ(static_cast<int>(exit_code(ErrorKind::hang)), 77);
}

TEST(ExitCode, HasAMeaningOfItsOwn) {
  std::set<std::string_view> meanings;
  for (const int code : {0, 64, 65, 69, 70, 74, 75, 76, 77})
    meanings.insert(meaning(static_cast<ExitCode>(code)));
  EXPECT_EQ(meanings.size(), 9u);
  EXPECT_FALSE(meanings.contains("unknown"));
  EXPECT_EQ(meaning(static_cast<ExitCode>(3)), "unknown");
}

}  // namespace
}  // namespace lockstep::job
