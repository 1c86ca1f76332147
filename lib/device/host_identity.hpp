#pragma once

#include <string>
#include <string_view>

namespace lockstep::device {

/// The processor's name from the text of /proc/cpuinfo; "cpu" where it gives none (as on many ARM
/// machines).
[[nodiscard]] std::string processor_name(std::string_view cpuinfo);
/// The same of this host.
[[nodiscard]] std::string processor_name();

}  // namespace lockstep::device
