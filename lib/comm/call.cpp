#include "comm/call.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/philox.hpp"
#include "core/units.hpp"

namespace lockstep::comm {
namespace {

std::string_view name(ReduceOp op) noexcept {
  switch (op) {
    case ReduceOp::sum:
      return "sum";
    case ReduceOp::min:
      return "min";
    case ReduceOp::max:
      return "max";
  }
  return "unknown";
}

}  // namespace

std::string Call::text() const {
  std::string text(collective);
  if (count > 0)
    text += fmt::format(" of {} {} ({})", count, name(dtype), units::bytes(count * size_of(dtype)));
  if (op) text += fmt::format(", {}", name(*op));
  if (root >= 0) text += fmt::format(", root {}", root);
  return text;
}

std::int64_t Call::fingerprint(std::uint64_t sequence) const noexcept {
  std::uint64_t value = mix(sequence);
  for (const char letter : collective) value = mix(value ^ static_cast<unsigned char>(letter));
  value = mix(value ^ count);
  value = mix(value ^ static_cast<std::uint64_t>(dtype));
  value = mix(value ^ (op ? static_cast<std::uint64_t>(*op) : 99U));
  value = mix(value ^ static_cast<std::uint64_t>(root + 1));
  return static_cast<std::int64_t>(
      value & static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

std::string Position::text() const {
  return fmt::format("{}, collective {}{}{}", call, sequence, phase.empty() ? "" : ", ", phase);
}

}  // namespace lockstep::comm
