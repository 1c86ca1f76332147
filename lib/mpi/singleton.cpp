#include "mpi/singleton.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "os/host.hpp"

namespace lockstep::mpi {
namespace {

// Open MPI's parameters (ompi_info --all), and hwloc's folder of plug-ins, which bring X11 and
// OpenCL. Where a name means nothing, nothing happens.
constexpr std::array kSettings = {
    std::pair("OMPI_MCA_ess_singleton_isolated", "1"),
    std::pair("OMPI_MCA_pml", "ob1"),
    std::pair("OMPI_MCA_btl", "self"),
    std::pair("OMPI_MCA_coll", "self,basic,libnbc"),
    std::pair("OMPI_MCA_mtl", "^psm,psm2,ofi"),
    std::pair("OMPI_MCA_osc", "^ucx,rdma,sm,pt2pt,portals4,monitoring"),
    std::pair("OMPI_MCA_errmgr", "default_app"),
    std::pair("OMPI_MCA_state", "app"),
    std::pair("OMPI_MCA_schizo", "orte"),
    std::pair("OMPI_MCA_shmem", "mmap"),
    std::pair("OMPI_MCA_reachable", "weighted"),
    std::pair("HWLOC_PLUGINS_PATH", "/nonexistent"),
};

}  // namespace

void start_as_singleton() {
  for (const auto& [name, value] : os::environment()) {
    for (const std::string_view manager : {"PMI", "FLUX_", "PALS_"}) {
      if (name.starts_with(manager)) return;
    }
  }
  for (const auto& [name, value] : kSettings) ::setenv(name, value, /*replace=*/0);
}

}  // namespace lockstep::mpi
