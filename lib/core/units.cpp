#include "core/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace lockstep::units {

std::string bytes(std::uint64_t count) {
  constexpr std::array kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (count < 1024) return fmt::format("{} B", count);
  double value = static_cast<double>(count);
  std::size_t index = 0;
  while (value >= 1024.0 && index + 1 < kNames.size()) {
    value /= 1024.0;
    ++index;
  }
  return fmt::format("{:.1f} {}", value, kNames[index]);
}

std::string duration(std::chrono::duration<double> length) {
  const double seconds = length.count();
  if (!std::isfinite(seconds) || seconds < 0) return "unknown";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto total = static_cast<std::int64_t>(std::llround(seconds));
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {:02} s", total / 60, total % 60);
  if (total < 86400) return fmt::format("{} h {:02} min", total / 3600, total % 3600 / 60);
  return fmt::format("{} d {:02} h", total / 86400, total % 86400 / 3600);
}

std::string rate(double per_second, const std::string& what) {
  return fmt::format("{:.1f} {}/s", per_second, what);
}

}  // namespace lockstep::units
