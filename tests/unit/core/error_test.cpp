#include "core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace lockstep {
namespace {

TEST(Error, CarriesKindMessageAndPlace) {
  const int line = __LINE__ + 1;
  const Error error(ErrorKind::data, "file x: 3 bytes are missing");
  EXPECT_EQ(error.kind(), ErrorKind::data);
  EXPECT_STREQ(error.what(), "file x: 3 bytes are missing");
  EXPECT_EQ(error.where().line, line);
  EXPECT_THAT(error.where().file, testing::HasSubstr("error_test.cpp"));
}

TEST(Error, EveryKindHasItsOwnName) {
  std::set<std::string_view> names;
  for (const ErrorKind kind :
       {ErrorKind::usage, ErrorKind::data, ErrorKind::environment, ErrorKind::peer, ErrorKind::io,
        ErrorKind::diverged, ErrorKind::hang, ErrorKind::internal}) {
    names.insert(name(kind));
  }
  EXPECT_EQ(names.size(), 8U);
  EXPECT_EQ(names.count("unknown"), 0U);
}

TEST(Expect, IsSilentWhileTheInvariantHolds) { EXPECT_NO_THROW(expect(true, "one is one")); }

TEST(Expect, NamesTheInvariantAndThePlaceOfTheCall) {
  const int line = __LINE__ + 2;
  try {
    expect(false, "a share needs a rank");
    FAIL() << "expect(false) came back";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_THAT(error.what(), testing::HasSubstr("a share needs a rank"));
    EXPECT_THAT(error.what(), testing::HasSubstr("error_test.cpp:" + std::to_string(line)));
  }
}

}  // namespace
}  // namespace lockstep
