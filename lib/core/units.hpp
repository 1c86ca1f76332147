#pragma once

#include <chrono>
#include <cstdint>
#include <string>

/// Numbers as people read them: every printed quantity carries its unit.
namespace lockstep::units {

/// Binary multiples: "0 B", "512 B", "4.0 KiB", "102.2 MiB", "1.5 GiB".
[[nodiscard]] std::string bytes(std::uint64_t count);
/// "0.4 s", "12 s", "3 min 05 s", "2 h 07 min", "3 d 04 h".
[[nodiscard]] std::string duration(std::chrono::duration<double> length);
/// "1234.5 images/s".
[[nodiscard]] std::string rate(double per_second, const std::string& what);

}  // namespace lockstep::units
