#include "data/idx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "data/idx_array.hpp"
#include "error_of.hpp"
#include "idx_files.hpp"
#include "os/host.hpp"
#include "support/temp_folder.hpp"

namespace lockstep::data {
namespace {

using test::idx_bytes;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Settings idx_in(const std::filesystem::path& folder) {
  Settings settings;
  settings.format = Format::idx;
  settings.path = folder;
  return settings;
}

class IdxTest : public testing::Test {
 protected:
  IdxTest() { test::write_small_idx(folder_.path()); }

  void write(const std::string& name, const std::string& content) {
    test::write_file(in(name), content);
  }
  [[nodiscard]] std::filesystem::path in(const std::string& name) const {
    return folder_.path() / name;
  }
  [[nodiscard]] Datasets open_folder() const { return open(idx_in(folder_.path())); }
  std::string failure(ErrorKind kind = ErrorKind::data) {
    return test::error_of(kind, [&] { static_cast<void>(open_folder()); });
  }

  test::TempFolder folder_;
};

std::string read(const Dataset& dataset, std::int64_t id) {
  std::string pixels(dataset.shape().size_bytes(), '\0');
  static_cast<void>(dataset.read(id, std::as_writable_bytes(std::span(pixels))));
  return pixels;
}

std::vector<std::int64_t> labels(const Dataset& dataset) {
  std::vector<std::int64_t> result;
  std::vector<std::byte> pixels(dataset.shape().size_bytes());
  for (std::int64_t id = 0; id < dataset.size(); ++id) result.push_back(dataset.read(id, pixels));
  return result;
}

TEST_F(IdxTest, ReadsBothSplits) {
  const Datasets datasets = open_folder();
  EXPECT_EQ(datasets.train->size(), 6);
  EXPECT_EQ(datasets.validation->size(), 4);
  EXPECT_EQ(datasets.train->shape(), (ImageShape{2, 3, 1}));
  EXPECT_THAT(datasets.train->classes(), ElementsAre("0", "1", "2"));
  EXPECT_EQ(datasets.validation->classes(), datasets.train->classes());
  EXPECT_THAT(labels(*datasets.train), ElementsAre(0, 1, 2, 2, 1, 0));
  EXPECT_THAT(labels(*datasets.validation), ElementsAre(2, 1, 0, 1));
  for (std::int64_t id = 0; id < 6; ++id) {
    EXPECT_EQ(read(*datasets.train, id),
              test::pixels(6, 6).substr(static_cast<std::size_t>(id) * 6, 6));
  }
}

TEST_F(IdxTest, ReadsGzipFilesAndColour) {
  std::filesystem::remove(in("train-images-idx3-ubyte"));
  std::filesystem::remove(in("t10k-images-idx3-ubyte"));
  write("train-images-idx4-ubyte.gz", test::gzip(idx_bytes({6, 2, 3, 3}, test::pixels(6, 18))));
  write("t10k-images-idx4-ubyte", idx_bytes({4, 2, 3, 3}, test::pixels(4, 18)));
  const Datasets datasets = open_folder();
  EXPECT_EQ(datasets.train->shape(), (ImageShape{2, 3, 3}));
  EXPECT_EQ(read(*datasets.train, 5), test::pixels(6, 18).substr(90));
}

TEST_F(IdxTest, AFileThatKeptItsNameWhenItWasCompressedIsRead) {
  write("train-labels-idx1-ubyte", test::gzip(idx_bytes({6}, std::string{0, 1, 2, 2, 1, 0})));
  EXPECT_THAT(labels(*open_folder().train), ElementsAre(0, 1, 2, 2, 1, 0));
}

TEST_F(IdxTest, AMissingFolderOrFileSaysWhatWasLookedFor) {
  std::filesystem::remove(in("t10k-labels-idx1-ubyte"));
  EXPECT_THAT(failure(),
              AllOf(HasSubstr(folder_.path().string()), HasSubstr("t10k-labels-idx1-ubyte, "),
                    HasSubstr("t10k-labels-idx1-ubyte.gz")));
  const Settings nowhere = idx_in(in("none"));
  EXPECT_THAT(
      test::error_of(ErrorKind::data, [&] { static_cast<void>(open(nowhere)); }),
      AllOf(HasSubstr("none"), HasSubstr("no such folder"), HasSubstr("train-images-idx3-ubyte")));
}

TEST_F(IdxTest, AWrongMagicIsShown) {
  write("train-labels-idx1-ubyte", idx_bytes({6, 1, 1}, "abcdef"));
  EXPECT_THAT(failure(), AllOf(HasSubstr("train-labels-idx1-ubyte: at byte 0"),
                               HasSubstr("0x00000801"), HasSubstr("0x00000803")));
  write("train-labels-idx1-ubyte", "PNG?");
  EXPECT_THAT(failure(), AllOf(HasSubstr("at byte 0"), HasSubstr("0x504e473f")));
}

TEST_F(IdxTest, AnElementTypeOtherThanUint8IsRefused) {
  std::string floats = idx_bytes({6}, std::string(6, '\0'));
  floats[2] = 0x0D;
  write("train-labels-idx1-ubyte", floats);
  EXPECT_THAT(failure(), AllOf(HasSubstr("at byte 0"), HasSubstr("0x00000d01")));
}

TEST_F(IdxTest, AnEmptyExtentIsRefused) {
  write("train-images-idx3-ubyte", idx_bytes({6, 0, 3}, ""));
  EXPECT_THAT(failure(),
              AllOf(HasSubstr("train-images-idx3-ubyte: at byte 8"), HasSubstr("extent 2 of 3")));
}

TEST_F(IdxTest, AFileCutAnywhereIsAnErrorWithItsEnd) {
  const std::string whole = idx_bytes({6, 2, 3}, test::pixels(6, 6));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write("train-images-idx3-ubyte", whole.substr(0, length));
    const std::string message = failure();
    ASSERT_THAT(message, HasSubstr("train-images-idx3-ubyte: at byte ")) << length;
    if (length >= 16) {
      ASSERT_THAT(message,
                  AllOf(HasSubstr("at byte " + std::to_string(length)), HasSubstr("36 bytes"),
                        HasSubstr(std::to_string(length - 16) + " of them")));
    }
  }
}

TEST_F(IdxTest, BytesBehindTheEndAreAnError) {
  write("train-images-idx3-ubyte", idx_bytes({6, 2, 3}, test::pixels(6, 6) + "x"));
  EXPECT_THAT(failure(),
              AllOf(HasSubstr("train-images-idx3-ubyte: at byte 52"), HasSubstr("more bytes")));
}

TEST_F(IdxTest, AHeaderThatClaimsTooMuchCostsNoMemory) {
  constexpr std::uint32_t kHuge = 0xFFFFFFFFU;
  const std::uint64_t before = os::peak_resident_bytes();
  write("train-images-idx3-ubyte", idx_bytes({kHuge, 28, 28}, "0123456789"));
  EXPECT_THAT(failure(), HasSubstr("after 10 of them"));
  write("train-images-idx3-ubyte", test::gzip(idx_bytes({kHuge, 28, 28}, "0123456789")));
  EXPECT_THAT(failure(), HasSubstr("after 10 of them"));
  write("train-images-idx3-ubyte", idx_bytes({kHuge, kHuge, kHuge}, ""));
  EXPECT_THAT(failure(), HasSubstr("4294967295 x 4294967295 x 4294967295"));
  EXPECT_LT(os::peak_resident_bytes() - before, std::uint64_t{100} << 20U);
}

TEST_F(IdxTest, EveryImageNeedsALabel) {
  write("train-labels-idx1-ubyte", idx_bytes({5}, std::string{0, 1, 2, 2, 1}));
  EXPECT_THAT(failure(), AllOf(HasSubstr("train-labels-idx1-ubyte: at byte 4"),
                               HasSubstr("expected 6 labels"), HasSubstr("found 5")));
}

TEST_F(IdxTest, AValidationLabelBeyondTheClassesIsNamed) {
  write("t10k-labels-idx1-ubyte", idx_bytes({4}, std::string{2, 1, 3, 1}));
  EXPECT_THAT(failure(), AllOf(HasSubstr("t10k-labels-idx1-ubyte: at byte 10"),
                               HasSubstr("below 3"), HasSubstr("found 3")));
}

TEST_F(IdxTest, SplitsOfDifferentShapeAreRefused) {
  write("t10k-images-idx3-ubyte", idx_bytes({4, 3, 2}, test::pixels(4, 6)));
  EXPECT_THAT(failure(), AllOf(HasSubstr("2 x 3 x 1"), HasSubstr("3 x 2 x 1")));
}

TEST_F(IdxTest, StatisticsMustFitTheChannels) {
  Settings settings = idx_in(folder_.path());
  settings.mean = {0.5, 0.5, 0.5};
  EXPECT_THAT(test::error_of(ErrorKind::usage, [&] { static_cast<void>(open(settings)); }),
              AllOf(HasSubstr("data.mean has 3"), HasSubstr("1 channels")));
  settings.mean = {0.3};
  settings.std = {0.3};
  EXPECT_EQ(open(settings).train->size(), 6);
}

TEST_F(IdxTest, TheFingerprintFollowsEveryByteOfImagesAndLabels) {
  const std::string before = open_folder().train->fingerprint();
  EXPECT_EQ(open_folder().train->fingerprint(), before);
  EXPECT_NE(open_folder().validation->fingerprint(), before);

  std::string pixels = test::pixels(6, 6);
  pixels[35] ^= 1;
  write("train-images-idx3-ubyte", idx_bytes({6, 2, 3}, pixels));
  const std::string other_pixels = open_folder().train->fingerprint();
  EXPECT_NE(other_pixels, before);

  write("train-images-idx3-ubyte", idx_bytes({6, 2, 3}, test::pixels(6, 6)));
  EXPECT_EQ(open_folder().train->fingerprint(), before);
  write("train-labels-idx1-ubyte", idx_bytes({6}, std::string{0, 1, 2, 2, 1, 1}));
  EXPECT_NE(open_folder().train->fingerprint(), before);
  write("train-labels-idx1-ubyte", idx_bytes({6}, std::string{0, 1, 2, 2, 1, 0}));
  write("train-images-idx3-ubyte", idx_bytes({6, 3, 2}, test::pixels(6, 6)));
  write("t10k-images-idx3-ubyte", idx_bytes({4, 3, 2}, test::pixels(4, 6)));
  EXPECT_NE(open_folder().train->fingerprint(), before);
}

// Where Debian's package dataset-fashion-mnist puts it.
TEST(FashionMnist, IsReadFromItsPackage) {
  const std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the package dataset-fashion-mnist is not installed";
  const Datasets datasets = open(idx_in(folder));
  EXPECT_EQ(datasets.train->size(), 60'000);
  EXPECT_EQ(datasets.validation->size(), 10'000);
  EXPECT_EQ(datasets.train->shape(), (ImageShape{28, 28, 1}));
  EXPECT_EQ(datasets.train->classes().size(), 10U);
  std::array<int, 10> counts{};
  for (const std::int64_t label : labels(*datasets.train))
    ++counts.at(static_cast<std::size_t>(label));
  for (const int count : counts) EXPECT_EQ(count, 6000);
  EXPECT_THAT(datasets.train->fingerprint(), HasSubstr("60000x28x28x1-10-"));
}

}  // namespace
}  // namespace lockstep::data
