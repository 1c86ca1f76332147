#include "data/gzip_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "idx_files.hpp"
#include "support/temp_folder.hpp"

namespace lockstep::data {
namespace {

using testing::HasSubstr;

class GzipReaderTest : public testing::Test {
 protected:
  std::string read_all(const std::string& content) {
    test::write_file(path_, content);
    GzipReader reader(path_);
    std::string result;
    std::string piece(1000, '\0');
    for (;;) {
      const std::size_t got = reader.read(std::as_writable_bytes(std::span(piece)));
      result.append(piece, 0, got);
      EXPECT_EQ(reader.offset(), result.size());
      if (got < piece.size()) return result;
    }
  }

  test::TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "file";
};

TEST_F(GzipReaderTest, GivesPlainFilesAsTheyAre) {
  EXPECT_EQ(read_all(""), "");
  EXPECT_EQ(read_all("x"), "x");
  const std::string content = test::pixels(100, 70);
  EXPECT_EQ(read_all(content), content);
}

TEST_F(GzipReaderTest, InflatesOneMemberOrSeveral) {
  const std::string content = test::pixels(100, 70);
  EXPECT_EQ(read_all(test::gzip(content)), content);
  EXPECT_EQ(read_all(test::gzip(content) + test::gzip("") + test::gzip("end")), content + "end");
}

TEST_F(GzipReaderTest, ACutStreamIsAnErrorWhereverItIsCut) {
  const std::string whole = test::gzip(test::pixels(12, 70));
  // From 2 bytes on it is recognised as gzip.
  for (std::size_t length = 2; length < whole.size(); ++length) {
    const std::string message = test::error_of(
        ErrorKind::data, [&] { static_cast<void>(read_all(whole.substr(0, length))); });
    ASSERT_THAT(message, HasSubstr(path_.string())) << length;
  }
}

TEST_F(GzipReaderTest, ADamagedStreamIsAnError) {
  std::string damaged = test::gzip(test::pixels(100, 70));
  damaged[damaged.size() - 6] ^= 0x01;  // the CRC of the content
  EXPECT_THAT(test::error_of(ErrorKind::data, [&] { static_cast<void>(read_all(damaged)); }),
              HasSubstr("incorrect data check"));
}

TEST_F(GzipReaderTest, AMissingFileIsNamed) {
  const std::string message =
      test::error_of(ErrorKind::data, [&] { GzipReader reader(folder_.path() / "none"); });
  EXPECT_THAT(message, HasSubstr("none"));
  EXPECT_THAT(message, HasSubstr("No such file"));
}

}  // namespace
}  // namespace lockstep::data
