#include <gtest/gtest.h>

#include "comm/options.hpp"

namespace lockstep::comm {
namespace {

struct Read {
  Settings settings;
  std::vector<config::Problem> problems;
};

Read read(std::string_view text) {
  Read result;
  config::Schema schema;
  result.settings.declare(schema);
  result.problems = schema.read_text(text, "test.yaml", {});
  return result;
}

TEST(CommSettings, HaveDefaultsThatNeedNoFile) {
  const Read got = read("");
  EXPECT_TRUE(got.problems.empty());
  EXPECT_EQ(got.settings.backend, Backend::automatic);
  EXPECT_EQ(got.settings.piece_kib, std::nullopt);
}

TEST(CommSettings, AreReadFromTheirSection) {
  const Read got = read(
      "comm:\n  backend: mpi\n  overlap: inline\n  bucket_mib: 0.5\n  piece_kib: 2048\n  "
      "patience_s: 20\n");
  EXPECT_TRUE(got.problems.empty());
  EXPECT_EQ(got.settings.backend, Backend::mpi);
  EXPECT_EQ(got.settings.overlap, Overlap::in_line);
  EXPECT_EQ(got.settings.bucket_mib, 0.5);
  EXPECT_EQ(got.settings.piece_kib, 2048);
  EXPECT_EQ(got.settings.patience_s, 20);
}

TEST(CommSettings, RefuseWhatCannotBe) {
  const Read got =
      read("comm:\n  backend: gloo\n  bucket_mib: 0\n  piece_kib: -1\n  patience_s: 0\n");
  EXPECT_EQ(got.problems.size(), 4U);
}

}  // namespace
}  // namespace lockstep::comm
