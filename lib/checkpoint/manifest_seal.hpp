#pragma once

#include <string>
#include <string_view>

namespace lockstep::checkpoint {

inline constexpr std::string_view kManifestFormat = "lockstep-checkpoint";
inline constexpr int kManifestVersion = 1;

/// Ends a MANIFEST's text: a last key "crc32c" whose value covers every byte before it.
[[nodiscard]] std::string sealed(std::string text);
/// Whether `text` ends in that way, with the right value: no byte of it is other than it was
/// written.
[[nodiscard]] bool is_sealed(std::string_view text);

}  // namespace lockstep::checkpoint
