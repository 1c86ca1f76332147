#include "checkpoint/manifest.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "checkpoint/blocks.hpp"
#include "checkpoint/manifest_seal.hpp"
#include "core/error.hpp"

namespace lockstep::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

Json versions_of(const Facts& facts) {
  if (facts.versions.empty()) return Json::object();
  const Json versions = Json::parse(facts.versions, nullptr, false);
  expect(versions.is_object(), "Facts::versions must be a JSON object, but is: " + facts.versions);
  return versions;
}

Json to_json(const Manifest::File& file) {
  Json crcs = Json::array();
  for (const std::uint32_t crc : file.block_crcs) crcs.push_back(fmt::format("{:08x}", crc));
  return {{"name", file.name}, {"bytes", file.bytes}, {"block_crc32c", crcs}};
}

Json to_json(const Manifest::Text& text) {
  return {{"path", text.path}, {"offset", text.offset}, {"capacity", text.capacity}};
}

Json to_json(const Manifest::Tensor& tensor) {
  Json pieces = Json::array();
  for (const Manifest::Piece& piece : tensor.pieces) {
    pieces.push_back(Json{{"file", piece.file},
                          {"offset", piece.offset},
                          {"start", piece.start},
                          {"rows", piece.rows}});
  }
  return {{"path", tensor.entry.path},
          {"dtype", name(tensor.entry.dtype)},
          {"shape", tensor.entry.shape},
          {"spread", tensor.entry.spread == Spread::replicated ? "replicated" : "per_rank"},
          {"pieces", pieces}};
}

/// One element a line: a person can read it, and diff and grep work.
template <typename Element>
std::string lines(std::string_view key, const std::vector<Element>& elements) {
  std::string text = fmt::format("  \"{}\": [", key);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    text += fmt::format("{}\n    {}", i == 0 ? "" : ",", to_json(elements[i]).dump());
  }
  return text + (elements.empty() ? "],\n" : "\n  ],\n");
}

}  // namespace

std::uint64_t Manifest::bytes() const {
  std::uint64_t sum = 0;
  for (const File& file : files) sum += file.bytes;
  return sum;
}

std::string Manifest::to_text() const {
  std::string text = "{\n";
  const auto line = [&text](std::string_view key, const Json& value) {
    text += fmt::format("  \"{}\": {},\n", key, value.dump());
  };
  line("format", kManifestFormat);
  line("version", kManifestVersion);
  line("step", facts.step);
  line("samples", facts.samples);
  line("run", facts.run);
  line("attempt", facts.attempt);
  line("is_finite", facts.is_finite);
  line("versions", versions_of(facts));
  line("config", facts.config);
  line("world", world);
  line("block_bytes", kBlockBytes);
  text += lines("files", files) + lines("texts", texts) + lines("tensors", tensors);
  return sealed(text);
}

}  // namespace lockstep::checkpoint
