#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "comm/factory.hpp"

namespace lockstep::comm {

/// A backend that was built. comm/cpu and comm/cuda each give their own table; CMake takes one of
/// the two.
struct BuiltBackend {
  std::string_view name;
  std::unique_ptr<Communicator> (*make)(const mpi::Comm& peers, MakeOptions options);
};

/// Best first.
[[nodiscard]] std::span<const BuiltBackend> built_backends() noexcept;

}  // namespace lockstep::comm
