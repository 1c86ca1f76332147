#include "comm/factory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "comm/backends.hpp"
#include "core/error.hpp"

namespace lockstep::comm {

std::unique_ptr<Communicator> make(std::string_view backend, const mpi::Comm& peers,
                                   MakeOptions options) {
  for (const BuiltBackend& built : built_backends()) {
    if (built.name == backend) return built.make(peers, std::move(options));
  }
  throw Error(ErrorKind::usage,
              fmt::format("comm.backend {} is not in this build, which has: {}; {}", backend,
                          fmt::join(available(), ", "),
                          backend == "nccl" ? "build with the preset 'cuda' to get it"
                                            : "take one of these, or auto"));
}

}  // namespace lockstep::comm
