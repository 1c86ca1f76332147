#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "checkpoint/catalog.hpp"
#include "os/file.hpp"
#include "runs.hpp"
#include "support/temp_folder.hpp"

namespace lockstep {
namespace {

using std::filesystem::path;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

/// A real file system of `size`, unmounted in any case.
class SmallDisk {
 public:
  explicit SmallDisk(const char* size) {
    const std::string options = std::string("size=") + size;
    is_mounted_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, options.c_str()) == 0;
    if (!is_mounted_) why_not_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (is_mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool is_mounted() const { return is_mounted_; }
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] const path& root() const { return folder_.path(); }

  /// All but `left` bytes, in a file of the user's.
  void fill(std::uint64_t left) const {
    const int descriptor = ::open((root() / "others").c_str(), O_CREAT | O_WRONLY, 0666);
    const std::uint64_t free = os::free_bytes(root());
    EXPECT_EQ(::posix_fallocate(descriptor, 0, static_cast<off_t>(free - left)), 0);
    EXPECT_EQ(::close(descriptor), 0);
  }
  void make_room() const { EXPECT_TRUE(std::filesystem::remove(root() / "others")); }

 private:
  test::TempFolder folder_;
  std::string why_not_;
  bool is_mounted_ = false;
};

TEST(FullDisk, IsReportedBeforeAnythingIsWritten) {
  const SmallDisk disk("12m");
  if (!disk.is_mounted()) GTEST_SKIP() << "SKIPPED: no tmpfs can be mounted: " << disk.why_not();
  test::expect_saved(2, disk.root(), 1);
  EXPECT_THAT(test::save_step(2, disk.root(), 2),
              Each(AllOf(HasSubstr("step 2 was not saved"),
                         HasSubstr("MiB free, but the checkpoint needs 7."))));
  EXPECT_TRUE(checkpoint::Catalog(disk.root()).temporary.empty());
  test::expect_loads(2, disk.root(), 1, 2);
}

/// The disk is nearly full only after the look at the free space: the ranks find out one by one.
TEST(FullDisk, InTheMidstOfASaveLeavesTheLastStepAndTrainingGoesOn) {
  const SmallDisk disk("24m");
  if (!disk.is_mounted()) GTEST_SKIP() << "SKIPPED: no tmpfs can be mounted: " << disk.why_not();
  test::expect_saved(2, disk.root(), 1);
  for (const std::uint64_t left :
       {std::uint64_t{0}, std::uint64_t{4096}, std::uint64_t{5} << 20U}) {
    std::atomic<bool> is_filled = false;
    const auto fill_once_begun = [&] {
      if (!checkpoint::Catalog(disk.root()).temporary.empty() && !is_filled.exchange(true))
        disk.fill(left);
    };
    const auto thrown = test::run_ranks(
        2,
        [&](checkpoint::Group& group) {
          test::Part model = test::odd_shapes(2);
          test::Part random = test::own_state(group.rank(), 2);
          const std::array<checkpoint::Saveable*, 2> state{&model, &random};
          checkpoint::Checkpointer(disk.root(), group, "t").save(test::facts_of(2), state);
        },
        fill_once_begun);
    EXPECT_TRUE(is_filled);
    EXPECT_THAT(thrown, Each(AllOf(HasSubstr("rank "), HasSubstr("step-000000002.tmp-t/shard-0000"),
                                   HasSubstr("No space left on device"))));
    EXPECT_TRUE(checkpoint::Catalog(disk.root()).temporary.empty());
    test::expect_loads(2, disk.root(), 1, 2);
    disk.make_room();
  }
  test::expect_saved(2, disk.root(), 2);
  test::expect_loads(2, disk.root(), 2, 2);
}

}  // namespace
}  // namespace lockstep
