#include "mpi/session.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"
#include "core/log.hpp"
#include "mpi/check.hpp"
#include "os/host.hpp"

namespace lockstep::mpi {
namespace {

MPI_Comm start(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_MULTIPLE) {
    throw Error(ErrorKind::environment,
                "this MPI library was built without MPI_THREAD_MULTIPLE; lockstep talks from "
                "several threads");
  }
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return MPI_COMM_WORLD;
}

// "/usr/lib/.../mca_pml_ucx.so" -> "ucx": of the messaging layers only the chosen one stays loaded.
std::string component_of(const std::string& path, std::string_view prefix) {
  const std::size_t at = path.rfind(prefix);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + prefix.size();
  return path.substr(begin, path.find('.', begin) - begin);
}

// Asked of whatever is loaded, so that this builds without UCX's headers. Open MPI opens UCX as a
// plug-in, out of the reach of RTLD_DEFAULT.
std::string ucx_version() {
  using VersionString = const char* (*)();
  for (const std::string& path : os::loaded_libraries()) {
    if (path.find("/libucp.so") == std::string::npos) continue;
    void* const library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    void* const symbol = library == nullptr ? nullptr : ::dlsym(library, "ucp_get_version_string");
    if (symbol == nullptr) return {};
    VersionString version = nullptr;
    std::memcpy(&version, &symbol, sizeof version);
    return version();
  }
  return {};
}

}  // namespace

Session::Session(int& argc, char**& argv) : world_(start(argc, argv)) {}

Session::~Session() {
  if (is_running()) log::error("the MPI session ends without finalize()");
}

void Session::finalize() { check(MPI_Finalize(), "MPI_Finalize"); }

bool is_running() noexcept {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

void abort(int code) {
  if (is_running()) MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

Library library() {
  Library result{.version = {}, .path = "static", .ucx = ucx_version(), .pml = "unknown"};
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  result.version.assign(text.data(), static_cast<std::size_t>(length));
  result.version = result.version.substr(0, result.version.find(','));
  for (const std::string& path : os::loaded_libraries()) {
    if (path.find("/libmpi.so") != std::string::npos) result.path = path;
    if (const std::string pml = component_of(path, "mca_pml_"); !pml.empty()) result.pml = pml;
  }
  return result;
}

}  // namespace lockstep::mpi
