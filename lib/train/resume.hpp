#pragma once

#include <filesystem>
#include <string>

namespace lockstep::train {

/// `--resume auto|none|STEP_DIR`: from the newest checkpoint that verifies, from nothing, or from
/// exactly this one.
struct Resume {
  enum class From { newest, nothing, directory };
  From from = From::newest;
  std::filesystem::path directory;

  [[nodiscard]] static Resume parse(const std::string& text);
};

}  // namespace lockstep::train
