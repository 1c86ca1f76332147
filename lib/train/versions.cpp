#include "train/versions.hpp"

#include <torch/headeronly/version.h>

#include <nlohmann/json.hpp>
#include <string>

#include "h5/library.hpp"
#include "mpi/session.hpp"
#include "os/host.hpp"
#include "train/build_info.hpp"

namespace lockstep::train {
namespace {

std::string path_of(std::string_view library) {
  for (const std::string& path : os::loaded_libraries()) {
    if (path.find(library) != std::string::npos) return path;
  }
  return "static";
}

}  // namespace

nlohmann::ordered_json versions() {
  const mpi::Library mpi = mpi::library();
  return {{"lockstep", kVersion},
          {"git", kGitRevision},
          {"compiler", kCompiler},
          {"mpi", {{"version", mpi.version}, {"path", mpi.path}, {"pml", mpi.pml}}},
          {"ucx", {{"version", mpi.ucx}, {"path", mpi.ucx.empty() ? "" : path_of("/libucp.so")}}},
          {"hdf5", {{"version", h5::library_version()}, {"path", path_of("/libhdf5")}}},
          {"libtorch", {{"version", TORCH_VERSION}, {"path", path_of("/libtorch_cpu.so")}}}};
}

}  // namespace lockstep::train
