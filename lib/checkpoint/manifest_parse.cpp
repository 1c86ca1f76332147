#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "checkpoint/blocks.hpp"
#include "checkpoint/manifest.hpp"
#include "checkpoint/manifest_seal.hpp"
#include "checkpoint/shard.hpp"
#include "core/error.hpp"
#include "os/file.hpp"

namespace lockstep::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

void require(bool holds, const std::string& what) {
  if (!holds) throw Error(ErrorKind::io, what);
}

Manifest::File file_of(const Json& json) {
  Manifest::File file{json.at("name"), json.at("bytes"), {}};
  for (const std::string crc : json.at("block_crc32c")) {
    file.block_crcs.push_back(static_cast<std::uint32_t>(std::stoul(crc, nullptr, 16)));
  }
  return file;
}

Spread spread_of(const std::string& text) {
  require(text == "replicated" || text == "per_rank", "unknown spread '" + text + "'");
  return text == "replicated" ? Spread::replicated : Spread::per_rank;
}

Manifest::Tensor tensor_of(const Json& json) {
  const std::string type = json.at("dtype");
  const auto dtype = parse_dtype(type);
  require(dtype.has_value(),
          fmt::format("{} has the unknown dtype '{}'", std::string(json.at("path")), type));
  Manifest::Tensor tensor{{json.at("path"), *dtype, json.at("shape"), spread_of(json.at("spread"))},
                          {}};
  for (const Json& piece : json.at("pieces")) {
    tensor.pieces.push_back(
        {piece.at("file"), piece.at("offset"), piece.at("start"), piece.at("rows")});
  }
  return tensor;
}

Manifest from_json(const Json& json) {
  require(json.at("format") == kManifestFormat, "it is not a checkpoint's");
  const int version = json.at("version");
  require(version == kManifestVersion,
          fmt::format("it has format version {}, and this program reads version {}", version,
                      kManifestVersion));
  require(json.at("block_bytes") == kBlockBytes, "its blocks have another size");
  Manifest manifest;
  manifest.facts = {json.at("step"),     json.at("samples"), json.at("run"),
                    json.at("attempt"),  json.at("config"),  json.at("versions").dump(),
                    json.at("is_finite")};
  manifest.world = json.at("world");
  for (const Json& file : json.at("files")) manifest.files.push_back(file_of(file));
  for (const Json& text : json.at("texts")) {
    manifest.texts.push_back({text.at("path"), text.at("offset"), text.at("capacity")});
  }
  for (const Json& tensor : json.at("tensors")) manifest.tensors.push_back(tensor_of(tensor));
  return manifest;
}

void check_files(const Manifest& manifest) {
  require(manifest.world >= 1 && manifest.files.size() == static_cast<std::size_t>(manifest.world),
          fmt::format("it lists {} files of {} ranks", manifest.files.size(), manifest.world));
  for (std::size_t i = 0; i < manifest.files.size(); ++i) {
    const Manifest::File& file = manifest.files[i];
    // Nothing else is opened, whatever path a manifest from elsewhere may name.
    require(file.name == shard_name(static_cast<int>(i), manifest.world),
            "it lists a file '" + file.name + "'");
    require(file.block_crcs.size() == block_count(file.bytes),
            file.name + " has not one CRC a block");
  }
}

bool lies_in(const Manifest::File& file, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= file.bytes && bytes <= file.bytes - offset;
}

void check_shape(const Entry& entry) {
  const bool is_sane = std::all_of(entry.shape.begin(), entry.shape.end(), [](std::int64_t extent) {
    return extent >= 0 && extent < (std::int64_t{1} << 40U);
  });
  double count = 1;
  for (const std::int64_t extent : entry.shape) count *= static_cast<double>(extent);
  require(is_sane && count < 0x1p59,
          fmt::format("{} has the shape [{}]", entry.path, fmt::join(entry.shape, ", ")));
}

void check_pieces(const Manifest& manifest, const Manifest::Tensor& tensor) {
  const Entry& entry = tensor.entry;
  std::int64_t next = 0;
  for (std::size_t i = 0; i < tensor.pieces.size(); ++i) {
    const Manifest::Piece& piece = tensor.pieces[i];
    const bool is_own = entry.spread == Spread::per_rank;
    const std::int64_t start = is_own ? 0 : next;
    require(piece.start == start && piece.rows >= 0 && piece.rows <= entry.rows() - start &&
                (!is_own || piece.rows == entry.rows()),
            fmt::format("piece {} of {} has rows {} to {}, but {} is next", i, entry.path,
                        piece.start, piece.start + piece.rows, start));
    require(piece.file >= 0 && piece.file < manifest.world &&
                (!is_own || piece.file == static_cast<int>(i)),
            fmt::format("piece {} of {} is in file {} of {}", i, entry.path, piece.file,
                        manifest.world));
    require(lies_in(manifest.files[static_cast<std::size_t>(piece.file)], piece.offset,
                    static_cast<std::uint64_t>(piece.rows) * entry.row_bytes()),
            fmt::format("piece {} of {} reaches beyond the end of its file", i, entry.path));
    next = piece.start + piece.rows;
  }
  const auto wanted =
      entry.spread == Spread::per_rank ? static_cast<std::size_t>(manifest.world) : 1;
  require(next == entry.rows() && tensor.pieces.size() >= wanted,
          fmt::format("{} of {} rows of {} are there", next, entry.rows(), entry.path));
}

void check(const Manifest& manifest) {
  check_files(manifest);
  std::unordered_set<std::string> paths;
  for (const Manifest::Text& text : manifest.texts) {
    require(paths.insert(text.path).second &&
                lies_in(manifest.files.front(), text.offset, text.capacity),
            text.path + " is there twice or reaches beyond the end of its file");
  }
  for (const Manifest::Tensor& tensor : manifest.tensors) {
    require(paths.insert(tensor.entry.path).second, tensor.entry.path + " is there twice");
    check_shape(tensor.entry);
    check_pieces(manifest, tensor);
  }
}

}  // namespace

Manifest Manifest::parse(std::string_view text) {
  require(is_sealed(text),
          fmt::format("{} is cut short or changed: its own CRC32C does not match", kManifestName));
  try {
    Manifest manifest = from_json(Json::parse(text));
    check(manifest);
    return manifest;
  } catch (const Error& error) {
    throw Error(ErrorKind::io, fmt::format("{} cannot be used: {}", kManifestName, error.what()));
  } catch (
      const std::exception& error) {  // nlohmann's, for a key that is missing or of another type
    throw Error(ErrorKind::io,
                fmt::format("{} cannot be understood: {}", kManifestName, error.what()));
  }
}

Manifest read_manifest(const std::filesystem::path& step) {
  const std::filesystem::path path = step / kManifestName;
  require(std::filesystem::exists(path),
          fmt::format("there is no {}: it was never committed", kManifestName));
  Manifest manifest = Manifest::parse(os::read_text(path));
  for (const Manifest::File& file : manifest.files) {
    require(std::filesystem::exists(step / file.name), file.name + " is missing");
    const std::uint64_t bytes = os::File::open(step / file.name, os::OpenMode::read).size();
    require(bytes == file.bytes, fmt::format("{} has {} bytes, but {} says {}", file.name, bytes,
                                             kManifestName, file.bytes));
  }
  return manifest;
}

bool has_manifest(const std::filesystem::path& step) {
  try {
    (void)read_manifest(step);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace lockstep::checkpoint
