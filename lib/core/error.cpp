#include "core/error.hpp"

#include <fmt/format.h>

namespace lockstep {

std::string_view name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::data:
      return "data";
    case ErrorKind::environment:
      return "environment";
    case ErrorKind::peer:
      return "peer";
    case ErrorKind::io:
      return "io";
    case ErrorKind::diverged:
      return "diverged";
    case ErrorKind::hang:
      return "hang";
    case ErrorKind::internal:
      return "internal";
  }
  return "unknown";
}

void expect(bool holds, std::string_view what, Where where) {
  if (!holds) {
    throw Error(
        ErrorKind::internal,
        fmt::format("internal error: {} ({}:{}); please report it", what, where.file, where.line),
        where);
  }
}

}  // namespace lockstep
