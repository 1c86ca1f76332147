#include "train/resume.hpp"

namespace lockstep::train {

Resume Resume::parse(const std::string& text) {
  if (text == "auto") return {};
  if (text == "none") return {From::nothing, {}};
  return {From::directory, text};
}

}  // namespace lockstep::train
