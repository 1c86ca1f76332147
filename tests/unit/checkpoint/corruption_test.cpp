#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/philox.hpp"
#include "os/file.hpp"
#include "runs.hpp"
#include "support/temp_folder.hpp"

namespace lockstep {
namespace {

using std::filesystem::path;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;

constexpr const char* kShard0 = "shard-00000-of-00002.h5";
constexpr const char* kShard1 = "shard-00001-of-00002.h5";

/// Steps 10 and 20 of two ranks; each test spoils 20.
class CorruptionTest : public testing::Test {
 protected:
  CorruptionTest() {
    test::expect_saved(2, root_.path(), 10);
    test::expect_saved(2, root_.path(), 20);
  }
  [[nodiscard]] path file(const char* name) const { return root_.path() / "step-000000020" / name; }

  /// Step 10 is loaded instead, and the reason for passing over 20 is given.
  std::string reason(int world = 2) {
    const auto passed_over = test::expect_loads(world, root_.path(), 10, 2);
    EXPECT_EQ(passed_over.size(), 1U);
    return passed_over.empty() ? "" : passed_over[0].why;
  }

  test::TempFolder root_;
};

void flip(const path& file, std::uint64_t bit) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(bit / 8));
  const int byte = stream.get() ^ (1 << (bit % 8));
  stream.seekp(static_cast<std::streamoff>(bit / 8));
  stream.put(static_cast<char>(byte));
}

TEST_F(CorruptionTest, EveryFlippedBitOfAShardIsFoundAndNamed) {
  Philox random(20, 1);
  for (int i = 0; i < 12; ++i) {
    const char* name = i % 2 == 0 ? kShard0 : kShard1;
    const auto bits = static_cast<std::uint32_t>(std::filesystem::file_size(file(name)) * 8);
    const std::uint64_t bit = random.below(bits);
    flip(file(name), bit);
    EXPECT_THAT(reason(1 + i % 3),
                AllOf(HasSubstr(name), HasSubstr("block " + std::to_string(bit / 8 >> 22U)),
                      HasSubstr("CRC32C")))
        << "bit " << bit;
    flip(file(name), bit);
  }
  test::expect_loads(2, root_.path(), 20, 2);  // whole again
}

TEST_F(CorruptionTest, TheTensorsOfABadBlockAreNamed) {
  flip(file(kShard1), 8 * (std::filesystem::file_size(file(kShard1)) - 100));
  EXPECT_THAT(reason(), HasSubstr("/model/wide"));
}

TEST_F(CorruptionTest, ATruncatedFileIsFoundByItsSize) {
  const auto size = std::filesystem::file_size(file(kShard1));
  for (const std::uintmax_t left : {size - 1, size / 2, std::uintmax_t{512}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(file(kShard1), left);
    EXPECT_THAT(reason(),
                HasSubstr(std::string(kShard1) + " has " + std::to_string(left) + " bytes"));
  }
}

TEST_F(CorruptionTest, AMissingShardIsNamed) {
  std::filesystem::remove(file(kShard0));
  EXPECT_THAT(reason(), HasSubstr(std::string(kShard0) + " is missing"));
}

TEST_F(CorruptionTest, AShardOfAnotherStepIsFound) {
  std::filesystem::copy_file(root_.path() / "step-000000010" / kShard1, file(kShard1),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(reason(), HasSubstr("CRC32C"));
}

TEST_F(CorruptionTest, SwappedShardsAreFound) {
  std::filesystem::rename(file(kShard0), file("swap"));
  std::filesystem::rename(file(kShard1), file(kShard0));
  std::filesystem::rename(file("swap"), file(kShard1));
  EXPECT_THAT(reason(), HasSubstr(kShard0));
}

TEST_F(CorruptionTest, AManifestOfAnotherStepIsFound) {
  std::filesystem::copy_file(root_.path() / "step-000000010/MANIFEST.json", file("MANIFEST.json"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(reason(), HasSubstr("is of step 10"));
}

TEST_F(CorruptionTest, AZeroedPageIsFound) {
  std::fstream stream(file(kShard0), std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(1 << 20U);
  stream << std::string(4096, '\0');
  stream.close();
  EXPECT_THAT(reason(), HasSubstr("CRC32C"));
}

TEST_F(CorruptionTest, BothStepsSpoiledIsAnErrorWithBothReasons) {
  flip(file(kShard0), 800000);
  std::filesystem::remove(root_.path() / "step-000000010" / kShard1);
  EXPECT_THAT(
      test::load_errors(2, root_.path()),
      Each(testing::AllOf(HasSubstr("step-000000020: shard-00000-of-00002.h5: block 0"),
                          HasSubstr("step-000000010: shard-00001-of-00002.h5 is missing"))));
}

}  // namespace
}  // namespace lockstep
