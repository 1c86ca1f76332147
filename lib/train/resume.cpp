#include "train/resume.hpp"

namespace lockstep::train {

Resume Resume::parse(const std::string& text) {
  if (text == "auto") return {};
  if (text == "none") return {From::nothing, {}};
  // Completion in a shell ends a folder's name with a slash.
  const std::filesystem::path path = std::filesystem::path(text).lexically_normal();
  return {From::directory, path.has_filename() ? path : path.parent_path()};
}

}  // namespace lockstep::train
