#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lockstep::tests {

/// A table that tests/support/make_reference.py made. LOCKSTEP_REFERENCE is its folder, by CMake.
inline nlohmann::json reference(const std::string& name) {
  std::ifstream file(std::filesystem::path(LOCKSTEP_REFERENCE) / name);
  return nlohmann::json::parse(file);
}

inline std::uint32_t lowbias32(std::uint32_t x) {
  x ^= x >> 16U;
  x *= 0x7feb352dU;
  x ^= x >> 15U;
  x *= 0x846ca68bU;
  return x ^ (x >> 16U);
}

inline std::uint32_t closed_hash(std::uint32_t stream, std::size_t i) {
  return lowbias32(stream * 0x9E3779B1U + static_cast<std::uint32_t>(i));
}

/// make_reference.py's value(stream, i, bound): weights and pictures without a file.
inline std::vector<float> closed_form(std::uint32_t stream, std::size_t count, double bound) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>((static_cast<double>(closed_hash(stream, i)) / 0x1p32 - 0.5) *
                                   2 * bound);
  }
  return values;
}

}  // namespace lockstep::tests
