#include "device/host_identity.hpp"

#include <fstream>
#include <sstream>

namespace lockstep::device {

std::string processor_name(std::string_view cpuinfo) {
  constexpr std::string_view kKey = "model name";
  for (std::size_t at = cpuinfo.find(kKey); at != std::string_view::npos;
       at = cpuinfo.find(kKey, at + 1)) {
    if (at != 0 && cpuinfo[at - 1] != '\n') continue;
    const std::string_view line = cpuinfo.substr(at, cpuinfo.find('\n', at) - at);
    const std::size_t colon = line.find(':');
    const std::size_t begin =
        colon == std::string_view::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (begin != std::string_view::npos) return std::string(line.substr(begin));
  }
  return "cpu";
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  return processor_name(text.view());
}

}  // namespace lockstep::device
