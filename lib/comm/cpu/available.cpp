#include <array>

#include "comm/backends.hpp"
#include "comm/mpi_communicator.hpp"

namespace lockstep::comm {

std::span<const std::string_view> available() noexcept {
  static constexpr std::array<std::string_view, 1> kNames = {"mpi"};
  return kNames;
}

std::span<const BuiltBackend> built_backends() noexcept {
  static constexpr std::array<BuiltBackend, 1> kBackends = {{{"mpi", make_mpi}}};
  return kBackends;
}

}  // namespace lockstep::comm
