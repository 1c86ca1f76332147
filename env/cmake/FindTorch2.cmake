# LibTorch as imported targets, without its own TorchConfig.cmake (that one looks for nvcc and adds flags).
#
#   Torch2::cpu    headers, libtorch_cpu, libc10
#   Torch2::torch  what the chosen backend needs: cpu, or cpu + libtorch_cuda + libc10_cuda
#
# Looked for in LOCKSTEP_TORCH (CMake cache or environment), then in .deps/site/torch, where env/setup puts it.

set(_torch_root "${LOCKSTEP_TORCH}")
if(NOT _torch_root AND DEFINED ENV{LOCKSTEP_TORCH})
  set(_torch_root "$ENV{LOCKSTEP_TORCH}")
endif()
if(NOT _torch_root)
  set(_torch_root "${PROJECT_SOURCE_DIR}/.deps/site/torch")
endif()
get_filename_component(_torch_root "${_torch_root}" ABSOLUTE)

if(NOT EXISTS "${_torch_root}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "No LibTorch in ${_torch_root}: run env/setup, or set LOCKSTEP_TORCH to a folder "
                      "that holds include/ and lib/libtorch_cpu.so")
endif()

file(STRINGS "${_torch_root}/include/torch/headeronly/version.h" _torch_version_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9]+([0-9]+)[^0-9]+([0-9]+)[^0-9]+([0-9]+).*" "\\1.\\2.\\3" Torch2_VERSION "${_torch_version_lines}")

# libtorch_cpu.so of the CUDA wheels asks for libcudart and libcupti itself; its own run path looks beside it, so only the
# linker has to be told.
set(_torch_link_dirs "${_torch_root}/lib")
file(GLOB _torch_nvidia_dirs "${_torch_root}/../nvidia/*/lib")
foreach(dir IN LISTS _torch_nvidia_dirs)
  get_filename_component(dir "${dir}" ABSOLUTE)
  list(APPEND _torch_link_dirs "${dir}")
endforeach()
if(NOT TARGET Torch2::cpu)
  add_library(Torch2::c10 SHARED IMPORTED)
  set_target_properties(Torch2::c10 PROPERTIES IMPORTED_LOCATION "${_torch_root}/lib/libc10.so")
  add_library(Torch2::cpu SHARED IMPORTED)
  set_target_properties(
    Torch2::cpu
    PROPERTIES IMPORTED_LOCATION "${_torch_root}/lib/libtorch_cpu.so"
               # Behind the system's folders: the wheel carries copies of fmt, nlohmann and others of its own.
               INTERFACE_COMPILE_OPTIONS "SHELL:-idirafter ${_torch_root}/include"
               INTERFACE_COMPILE_DEFINITIONS AT_PER_OPERATOR_HEADERS
               INTERFACE_LINK_LIBRARIES Torch2::c10)
  foreach(dir IN LISTS _torch_link_dirs)
    target_link_options(Torch2::cpu INTERFACE "LINKER:-rpath-link,${dir}")
  endforeach()
  # Old-style run paths are inherited by libtorch_cpu.so, RUNPATH is not (see ld.so(8)): for a LibTorch whose own
  # run path does not lead to them. CMake adds the run path itself, and cmake --install replaces it.
  target_link_options(Torch2::cpu INTERFACE LINKER:--disable-new-dtags)

  add_library(Torch2::torch INTERFACE IMPORTED)
  target_link_libraries(Torch2::torch INTERFACE Torch2::cpu)
  if(LOCKSTEP_BACKEND STREQUAL "cuda")
    # Nothing refers to a symbol of libtorch_cuda: it registers itself when it is loaded.
    target_link_options(
      Torch2::torch INTERFACE LINKER:--no-as-needed "${_torch_root}/lib/libtorch_cuda.so" "${_torch_root}/lib/libc10_cuda.so"
      LINKER:--as-needed LINKER:--allow-shlib-undefined)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Torch2 REQUIRED_VARS _torch_root VERSION_VAR Torch2_VERSION)
set(Torch2_ROOT_DIR "${_torch_root}")
set(Torch2_LIBRARY_DIRS "${_torch_link_dirs}")
