#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/contents.hpp"
#include "checkpoint/facts.hpp"

namespace lockstep::checkpoint {

inline constexpr std::string_view kManifestName = "MANIFEST.json";

/// The commit record of a step: what its files must hold, and where everything is. See
/// checkpoints/FORMAT.md for the text.
struct Manifest {
  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> block_crcs;
  };
  struct Text {
    std::string path;
    std::uint64_t offset = 0;  ///< in the first file
    std::uint64_t capacity = 0;
  };
  struct Piece {
    int file = 0;
    std::uint64_t offset = 0;
    std::int64_t start = 0;
    std::int64_t rows = 0;
  };
  struct Tensor {
    Entry entry;
    std::vector<Piece> pieces;
  };

  Facts facts;
  int world = 1;
  std::vector<File> files;  ///< one a rank
  std::vector<Text> texts;
  std::vector<Tensor> tensors;

  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::string to_text() const;
  /// Checks everything that can be checked without the shards: the text's own CRC, that each piece
  /// lies in its file, that the pieces of a tensor are all of it, once. Throws Error{io} that says
  /// what is wrong.
  [[nodiscard]] static Manifest parse(std::string_view text);
};

/// Reads and parses `step`/MANIFEST.json, and compares the files' sizes. Throws Error{io}.
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& step);
/// Whether read_manifest() succeeds: the step exists, as far as can be told without reading its
/// blocks.
[[nodiscard]] bool has_manifest(const std::filesystem::path& step);

}  // namespace lockstep::checkpoint
