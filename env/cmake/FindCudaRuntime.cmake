# The CUDA runtime library as CudaRuntime::cudart: from a toolkit of the major version that LibTorch was built
# for, else from the wheels that env/setup unpacks. No nvcc is needed: what we call is host code.
string(REGEX REPLACE "\\..*" "" _cuda_major "${LOCKSTEP_PIN_TORCH_CUDA}")
foreach(_cuda_root IN ITEMS "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" "/usr/local/cuda" "${PROJECT_SOURCE_DIR}/.deps/site/nvidia/cu13")
  set(_cuda_header "${_cuda_root}/include/cuda_runtime_api.h")
  if(NOT CudaRuntime_ROOT_DIR AND EXISTS "${_cuda_header}")
    file(STRINGS "${_cuda_header}" _cuda_line REGEX "define CUDART_VERSION +[0-9]+")
    if(_cuda_line MATCHES "CUDART_VERSION +(${_cuda_major})0*([0-9])")
      set(CudaRuntime_VERSION "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}")
      set(CudaRuntime_ROOT_DIR "${_cuda_root}")
    endif()
  endif()
endforeach()
find_path(CudaRuntime_INCLUDE_DIR cuda_runtime_api.h PATHS "${CudaRuntime_ROOT_DIR}/include" NO_DEFAULT_PATH)
# The wheels hold no unversioned names.
find_library(CudaRuntime_LIBRARY NAMES cudart libcudart.so.${_cuda_major}
             PATHS "${CudaRuntime_ROOT_DIR}" PATH_SUFFIXES lib64 lib NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CudaRuntime
  REQUIRED_VARS CudaRuntime_LIBRARY CudaRuntime_INCLUDE_DIR
  VERSION_VAR CudaRuntime_VERSION
  REASON_FAILURE_MESSAGE "No CUDA ${_cuda_major} in CUDA_HOME, /usr/local/cuda or .deps: run env/setup --for-tests")
if(CudaRuntime_FOUND AND NOT TARGET CudaRuntime::cudart)
  add_library(CudaRuntime::cudart SHARED IMPORTED)
  set_target_properties(CudaRuntime::cudart PROPERTIES IMPORTED_LOCATION "${CudaRuntime_LIBRARY}"
                        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${CudaRuntime_INCLUDE_DIR}"
                        INTERFACE_INCLUDE_DIRECTORIES "${CudaRuntime_INCLUDE_DIR}")
endif()
