#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "job/exit_code.hpp"

namespace lockstep::train {

/// Why a run ends, in ascending weight: where ranks vote for different reasons the last one wins.
enum class Stop : std::uint8_t { no, finished, stop_file, deadline, signalled, diverged };
inline constexpr std::size_t kStops = 6;

[[nodiscard]] std::string_view name(Stop stop) noexcept;
/// One sentence for the log and outcome.json.
[[nodiscard]] std::string_view sentence(Stop stop) noexcept;
[[nodiscard]] job::ExitCode exit_code(Stop stop) noexcept;

}  // namespace lockstep::train
