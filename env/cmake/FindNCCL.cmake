# NCCL as NCCL::nccl: from the system, a toolkit folder, or the wheel that env/setup unpacks.
find_path(NCCL_INCLUDE_DIR nccl.h
          HINTS ENV NCCL_HOME ENV CUDA_HOME "/usr/local/cuda" "${PROJECT_SOURCE_DIR}/.deps/site/nvidia/nccl"
          PATH_SUFFIXES include)
# The library beside the header that was found; the wheel holds no unversioned name.
get_filename_component(_nccl_root "${NCCL_INCLUDE_DIR}" DIRECTORY)
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS "${_nccl_root}" PATH_SUFFIXES lib64 lib)
if(NCCL_INCLUDE_DIR)
  file(STRINGS "${NCCL_INCLUDE_DIR}/nccl.h" _nccl_lines REGEX "define NCCL_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9]+([0-9]+)[^0-9]+([0-9]+)[^0-9]+([0-9]+).*" "\\1.\\2.\\3" NCCL_VERSION "${_nccl_lines}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  NCCL
  REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR
  VERSION_VAR NCCL_VERSION
  REASON_FAILURE_MESSAGE "No NCCL ${LOCKSTEP_PIN_NCCL_MIN} or newer in NCCL_HOME, CUDA_HOME, /usr/local/cuda or .deps: run env/setup --for-tests")
if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl SHARED IMPORTED)
  # nccl.h includes headers of the CUDA runtime.
  set_target_properties(NCCL::nccl PROPERTIES IMPORTED_LOCATION "${NCCL_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${NCCL_INCLUDE_DIR}"
                        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${NCCL_INCLUDE_DIR}"
                        INTERFACE_LINK_LIBRARIES CudaRuntime::cudart)
endif()
