#pragma once

#include <string_view>

namespace lockstep::train {

/// Written by CMake when it configures.
extern const std::string_view kVersion;
extern const std::string_view kGitRevision;
extern const std::string_view kCompiler;

}  // namespace lockstep::train
