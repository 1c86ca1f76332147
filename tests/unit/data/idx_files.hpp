#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "os/file.hpp"

namespace lockstep::test {

/// The bytes of an IDX file.
inline std::string idx_bytes(const std::vector<std::uint32_t>& extents,
                             const std::string& elements) {
  std::string bytes = {0, 0, 8, static_cast<char>(extents.size())};
  for (const std::uint32_t extent : extents) {
    for (const unsigned shift : {24U, 16U, 8U, 0U})
      bytes += static_cast<char>((extent >> shift) & 0xFFU);
  }
  return bytes + elements;
}

/// One gzip member.
inline std::string gzip(const std::string& content) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(::deflateBound(&stream, content.size()), '\0');
  std::string in = content;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

/// Quicker than os::publish, which waits for the disk.
inline void write_file(const std::filesystem::path& path, const std::string& content) {
  os::File::open(path, os::OpenMode::overwrite).append(content);
}

/// `count` pictures of height x width x channels; each byte differs from its neighbours.
inline std::string pixels(std::uint32_t count, std::uint32_t bytes_each) {
  std::string result;
  for (std::uint32_t i = 0; i < count * bytes_each; ++i)
    result += static_cast<char>(i * 7 + i / bytes_each);
  return result;
}

/// A small data set of 2 x 3 grey pictures: 6 to train on with labels 0 to 2, 4 for validation.
inline void write_small_idx(const std::filesystem::path& folder) {
  write_file(folder / "train-images-idx3-ubyte", idx_bytes({6, 2, 3}, pixels(6, 6)));
  write_file(folder / "train-labels-idx1-ubyte", idx_bytes({6}, std::string{0, 1, 2, 2, 1, 0}));
  write_file(folder / "t10k-images-idx3-ubyte", idx_bytes({4, 2, 3}, pixels(4, 6)));
  write_file(folder / "t10k-labels-idx1-ubyte", idx_bytes({4}, std::string{2, 1, 0, 1}));
}

}  // namespace lockstep::test
