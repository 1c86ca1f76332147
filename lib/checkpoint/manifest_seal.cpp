#include "checkpoint/manifest_seal.hpp"

#include <fmt/format.h>

#include <span>

#include "core/crc32c.hpp"

namespace lockstep::checkpoint {
namespace {

std::string seal_of(std::string_view text) {
  return fmt::format("  \"crc32c\": \"{:08x}\"\n}}\n", crc32c(std::as_bytes(std::span(text))));
}

}  // namespace

std::string sealed(std::string text) {
  text += seal_of(text);
  return text;
}

bool is_sealed(std::string_view text) {
  const std::size_t length = seal_of("").size();
  if (text.size() < length) return false;
  const std::string_view body = text.substr(0, text.size() - length);
  return text.substr(body.size()) == seal_of(body);
}

}  // namespace lockstep::checkpoint
