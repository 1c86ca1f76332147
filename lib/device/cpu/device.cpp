#include "device/device.hpp"

#include <fmt/format.h>

#include <cstring>

#include "core/error.hpp"
#include "device/host_identity.hpp"

namespace lockstep::device {
namespace {

void expect_host(int index) {
  if (index == -1) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("this build has no accelerators, so there is no device {}: build with the preset "
                  "'cuda' to get them",
                  index));
}

}  // namespace

std::string_view backend() noexcept { return "cpu"; }

int visible_count() noexcept { return 0; }

Identity identity(int index) {
  expect_host(index);
  return {processor_name(), "cpu"};
}

void select(int index) { expect_host(index); }

void synchronize(int index) { expect_host(index); }

void copy_to_host(std::span<std::byte> to, const std::byte* from) {
  if (!to.empty()) std::memcpy(to.data(), from, to.size());
}

void copy_to_device(std::byte* to, std::span<const std::byte> from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}

}  // namespace lockstep::device
