#include "os/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <thread>

#include "core/error.hpp"
#include "support/temp_folder.hpp"

namespace lockstep::os {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path in(const std::string& name) const {
    return folder_.path() / name;
  }

  static std::string io_error(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io);
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  test::TempFolder folder_;
};

TEST_F(FileTest, ReadsBackWhatWasWritten) {
  const File file = File::open(in("a"), OpenMode::create);
  const std::string text = "0123456789";
  file.write_at(5, std::as_bytes(std::span(text)));
  EXPECT_EQ(file.size(), 15U);
  std::string back(3, '?');
  file.read_at(7, std::as_writable_bytes(std::span(back)));
  EXPECT_EQ(back, "234");
}

TEST_F(FileTest, AShortFileSaysWhereItEnds) {
  publish(in("short"), "12345");
  const File file = File::open(in("short"), OpenMode::read);
  std::string back(8, '?');
  const std::string message =
      io_error([&] { file.read_at(2, std::as_writable_bytes(std::span(back))); });
  EXPECT_THAT(message, HasSubstr(in("short").string()));
  EXPECT_THAT(message, HasSubstr("ends at byte 5"));
  EXPECT_THAT(message, HasSubstr("8 bytes at 2"));
}

TEST_F(FileTest, AMissingFileIsNamed) {
  const std::string message =
      io_error([&] { static_cast<void>(File::open(in("none"), OpenMode::read)); });
  EXPECT_THAT(message, HasSubstr(in("none").string()));
  EXPECT_THAT(message, HasSubstr("No such file"));
}

TEST_F(FileTest, CreateRefusesAFileThatIsThere) {
  publish(in("a"), "old");
  EXPECT_THAT(io_error([&] { static_cast<void>(File::open(in("a"), OpenMode::create)); }),
              HasSubstr("exists"));
  EXPECT_EQ(read_text(in("a")), "old");
}

TEST_F(FileTest, OverwriteBeginsEmptyAndAppendAtTheEnd) {
  publish(in("a"), "old");
  File::open(in("a"), OpenMode::append).append("er");
  EXPECT_EQ(read_text(in("a")), "older");
  EXPECT_EQ(File::open(in("a"), OpenMode::overwrite).size(), 0U);
}

TEST_F(FileTest, AllocateAndTruncateSetTheSize) {
  const File file = File::open(in("a"), OpenMode::create);
  file.allocate(100'000);
  EXPECT_EQ(file.size(), 100'000U);
  file.truncate(10);
  EXPECT_EQ(file.size(), 10U);
  file.allocate(0);
  EXPECT_EQ(file.size(), 10U);
}

TEST_F(FileTest, ClosingTwiceIsNoError) {
  File file = File::open(in("a"), OpenMode::create);
  file.sync();
  file.close();
  EXPECT_EQ(file.descriptor(), -1);
  EXPECT_NO_THROW(file.close());
}

TEST_F(FileTest, ReadsFilesThatTellNoSize) {
  EXPECT_THAT(read_text("/proc/self/status"), HasSubstr("VmRSS"));
}

TEST_F(FileTest, PublishReplacesAndLeavesNothingElse) {
  publish(in("a"), "one");
  publish(in("a"), "two");
  EXPECT_EQ(read_text(in("a")), "two");
  EXPECT_THAT(list_folder(folder_.path()), ElementsAre("a"));
}

TEST_F(FileTest, PublishedContentIsNeverSeenInPart) {
  const std::string first(100'000, 'a');
  const std::string second(100'000, 'b');
  publish(in("a"), first);
  std::jthread writer([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      publish(in("a"), second);
      publish(in("a"), first);
    }
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = read_text(in("a"));
    ASSERT_TRUE(seen == first || seen == second) << "read " << seen.size() << " bytes";
  }
}

TEST_F(FileTest, PublishIfAbsentKeepsTheFirst) {
  EXPECT_TRUE(publish_if_absent(in("a"), "one"));
  EXPECT_FALSE(publish_if_absent(in("a"), "two"));
  EXPECT_EQ(read_text(in("a")), "one");
  EXPECT_THAT(list_folder(folder_.path()), ElementsAre("a"));
}

TEST_F(FileTest, OfManyPublishersOneWins) {
  std::atomic<int> winners = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        if (publish_if_absent(in("lock"), std::to_string(i))) ++winners;
      });
    }
  }
  EXPECT_EQ(winners, 1);
  EXPECT_THAT(list_folder(folder_.path()), ElementsAre("lock"));
}

TEST_F(FileTest, RenameMovesBetweenFolders) {
  make_folders(in("x"));
  make_folders(in("y"));
  publish(in("x") / "a", "content");
  rename_durably(in("x") / "a", in("y") / "b");
  EXPECT_TRUE(list_folder(in("x")).empty());
  EXPECT_EQ(read_text(in("y") / "b"), "content");
}

TEST_F(FileTest, MakesFoldersWithTheirParents) {
  make_folders(in("a") / "b" / "c");
  EXPECT_TRUE(std::filesystem::is_directory(in("a") / "b" / "c"));
  EXPECT_NO_THROW(make_folders(in("a") / "b" / "c"));
}

TEST_F(FileTest, AFileWhereAFolderShouldBeIsAnError) {
  publish(in("a"), "a file");
  EXPECT_THAT(io_error([&] { make_folders(in("a")); }), HasSubstr(in("a").string()));
  EXPECT_THAT(io_error([&] { make_folders(in("a") / "b"); }), HasSubstr(in("a").string()));
}

TEST_F(FileTest, ListsNamesInOrder) {
  for (const char* name : {"step-10", "a", "step-2"}) publish(in(name), "");
  EXPECT_THAT(list_folder(folder_.path()), ElementsAre("a", "step-10", "step-2"));
  EXPECT_TRUE(list_folder(in("none")).empty());
}

TEST_F(FileTest, KnowsFreeBytes) {
  EXPECT_GT(free_bytes(folder_.path()), 0U);
  EXPECT_THAT(io_error([&] { static_cast<void>(free_bytes(in("none"))); }), HasSubstr("none"));
}

}  // namespace
}  // namespace lockstep::os
