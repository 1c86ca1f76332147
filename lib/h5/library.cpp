#include "h5/library.hpp"

#include <fmt/format.h>
#include <hdf5.h>

namespace lockstep::h5 {

std::string library_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  return H5get_libversion(&major, &minor, &release) < 0
             ? "unknown"
             : fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace lockstep::h5
