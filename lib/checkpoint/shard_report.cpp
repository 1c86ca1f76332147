#include <nlohmann/json.hpp>

#include "checkpoint/commit.hpp"

namespace lockstep::checkpoint {

std::string ShardReport::to_text() const {
  return nlohmann::json{
      {"bytes", bytes},           {"offsets", offsets},         {"text_offsets", text_offsets},
      {"block_crcs", block_crcs}, {"fingerprint", fingerprint}, {"failure", failure}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ShardReport ShardReport::parse(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  return {json.at("bytes"),      json.at("offsets"),     json.at("text_offsets"),
          json.at("block_crcs"), json.at("fingerprint"), json.at("failure")};
}

}  // namespace lockstep::checkpoint
