#include "h5/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <numeric>
#include <thread>

#include "core/error.hpp"
#include "os/file.hpp"
#include "support/temp_folder.hpp"

namespace lockstep {
namespace {

using h5::Dataset;
using h5::Image;

std::vector<Dataset> many(int count) {
  std::vector<Dataset> datasets;
  for (int i = 0; i < count; ++i) {
    datasets.push_back({"/model/layer" + std::to_string(i) + ".weight",
                        DType::f32,
                        {i % 7 + 1, 300},
                        {{"dtype", std::string("f32")},
                         {"start", std::int64_t{i}},
                         {"global_shape", std::vector<std::int64_t>{100, 300}}}});
  }
  return datasets;
}

/// The file that `image` describes, with `fill` in every byte of dataset `index`.
void write(const Image& image, const std::filesystem::path& path, std::size_t index,
           std::span<const std::byte> data) {
  os::File file = os::File::open(path, os::OpenMode::create);
  file.truncate(image.file_bytes);
  file.write_at(0, image.header);
  file.write_at(image.offsets.at(index), data);
  file.close();
}

template <typename T>
std::vector<T> read(const std::filesystem::path& path, const char* dataset, hid_t type,
                    std::size_t count) {
  std::vector<T> values(count);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t opened = H5Dopen2(file, dataset, H5P_DEFAULT);
  EXPECT_GE(H5Dread(opened, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  EXPECT_GE(H5Dclose(opened), 0);
  EXPECT_GE(H5Fclose(file), 0);
  return values;
}

TEST(Image, DataWrittenAtItsOffsetsAreReadBackByHdf5) {
  const test::TempFolder folder;
  const std::vector<Dataset> datasets = many(50);
  const Image image = h5::make_image(datasets);
  std::vector<float> values(4 * 300);
  std::iota(values.begin(), values.end(), 0.5F);
  write(image, folder.path() / "a.h5", 24, std::as_bytes(std::span(values)));
  EXPECT_EQ(read<float>(folder.path() / "a.h5", "/model/layer24.weight", H5T_NATIVE_FLOAT, 1200),
            values);
}

TEST(Image, EqualDatasetsGiveEqualBytes) {
  const Image first = h5::make_image(many(500));
  const Image second = h5::make_image(many(500));
  EXPECT_EQ(first.header, second.header);
  EXPECT_EQ(first.offsets, second.offsets);
  EXPECT_EQ(first.file_bytes, second.file_bytes);
}

TEST(Image, NoObjectCarriesATime) {
  const test::TempFolder folder;
  const Image image = h5::make_image(std::vector<Dataset>{{"/m/deep/w", DType::u8, {1}, {}}});
  write(image, folder.path() / "a.h5", 0, {});
  const hid_t file = H5Fopen((folder.path() / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  for (const char* path : {"/", "/m", "/m/deep", "/m/deep/w"}) {
    H5O_info_t info{};
    ASSERT_GE(H5Oget_info_by_name2(file, path, &info, H5O_INFO_TIME, H5P_DEFAULT), 0) << path;
    EXPECT_EQ(info.ctime, 0) << path;
    EXPECT_EQ(info.mtime, 0) << path;
  }
  EXPECT_GE(H5Fclose(file), 0);
}

TEST(Image, LargeDatasetsBeginAtPagesAndDoNotOverlap) {
  const std::vector<Dataset> datasets = many(300);
  const Image image = h5::make_image(datasets);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    const auto bytes = static_cast<std::uint64_t>(datasets[i].shape[0] * 300 * 4);
    EXPECT_EQ(image.offsets[i] % (bytes >= 4096 ? 4096 : 1), 0U) << datasets[i].path;
    extents.emplace_back(image.offsets[i], image.offsets[i] + bytes);
  }
  std::sort(extents.begin(), extents.end());
  for (std::size_t i = 1; i < extents.size(); ++i)
    EXPECT_GE(extents[i].first, extents[i - 1].second);
  EXPECT_LE(extents.back().second, image.file_bytes);
}

TEST(Image, HeaderStaysSmallHoweverLargeTheDatasets) {
  const std::vector<Dataset> datasets{{"/a", DType::f32, {1 << 30, 1024}, {}},
                                      {"/b", DType::u8, {1}, {}}};
  const Image image = h5::make_image(datasets);
  EXPECT_GT(image.file_bytes, std::uint64_t{1} << 42U);
  EXPECT_LT(image.header.size(), 256U << 10U);
}

TEST(Image, TakesThousandsOfDatasetsUnder1KiBEach) {
  const std::vector<Dataset> datasets = many(6000);
  const Image image = h5::make_image(datasets);
  std::uint64_t data = 0;
  for (const Dataset& dataset : datasets)
    data += static_cast<std::uint64_t>(dataset.shape[0]) * 1200;
  EXPECT_LT(image.header.size(), datasets.size() * 1200);
  EXPECT_LT(image.file_bytes, data + 6000 * 4096);
}

TEST(Image, KeepsTheWordsOfBfloat16) {
  const test::TempFolder folder;
  const Image image = h5::make_image(std::vector<Dataset>{{"/m/w", DType::bf16, {5}, {}}});
  const std::vector<std::uint16_t> words{0x3F80, 0x7FC0, 0xFF80, 0x0001, 0x8000};
  write(image, folder.path() / "a.h5", 0, std::as_bytes(std::span(words)));
  EXPECT_EQ(read<std::uint16_t>(folder.path() / "a.h5", "/m/w", H5T_NATIVE_UINT16, 5), words);
}

TEST(Image, StoresHalvesAsFloatsThatHdf5Converts) {
  const test::TempFolder folder;
  const Image image = h5::make_image(std::vector<Dataset>{{"/m/w", DType::f16, {2}, {}}});
  const std::vector<std::uint16_t> words{0x3C00, 0xC000};
  write(image, folder.path() / "a.h5", 0, std::as_bytes(std::span(words)));
  EXPECT_EQ(read<float>(folder.path() / "a.h5", "/m/w", H5T_NATIVE_FLOAT, 2),
            (std::vector<float>{1, -2}));
}

TEST(Image, ScalarsEmptyTensorsAndTextsHaveAPlace) {
  const Image image = h5::make_image(std::vector<Dataset>{{"/a/scalar", DType::i64, {}, {}},
                                                          {"/a/empty", DType::f32, {0, 4}, {}},
                                                          {"/a/state", h5::Text{65536}, {}, {}}});
  EXPECT_NE(image.offsets[0], 0U);
  EXPECT_EQ(image.offsets[1], 0U);
  EXPECT_EQ(image.offsets[2] % 4096, 0U);
  EXPECT_NE(image.offsets[2], 0U);
}

TEST(Image, IsMadeByManyThreadsAtOnce) {
  const Image alone = h5::make_image(many(40));
  std::array<Image, 8> images;
  {
    std::vector<std::jthread> threads;
    for (Image& image : images)
      threads.emplace_back([&image] { image = h5::make_image(many(40)); });
  }
  for (const Image& image : images) EXPECT_EQ(image.header, alone.header);
}

TEST(Image, RefusesTwoDatasetsOfOnePath) {
  const std::vector<Dataset> twice{{"/a/w", DType::f32, {1}, {}}, {"/a/w", DType::f32, {1}, {}}};
  try {
    (void)h5::make_image(twice);
    FAIL() << "two datasets of one path were taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/a/w"));
  }
}

}  // namespace
}  // namespace lockstep
