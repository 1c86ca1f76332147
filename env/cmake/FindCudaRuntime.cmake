# The CUDA runtime library as CudaRuntime::cudart: from a toolkit, or from the wheel that env/setup unpacks.
# No nvcc is needed: what we call is host code.
find_path(CudaRuntime_INCLUDE_DIR cuda_runtime_api.h
          HINTS ENV CUDA_HOME ENV CUDA_PATH "/usr/local/cuda" "${PROJECT_SOURCE_DIR}/.deps/site/nvidia/cu13" PATH_SUFFIXES include)
find_library(CudaRuntime_LIBRARY NAMES cudart libcudart.so.13
             HINTS ENV CUDA_HOME ENV CUDA_PATH "/usr/local/cuda" "${PROJECT_SOURCE_DIR}/.deps/site/nvidia/cu13" PATH_SUFFIXES lib64 lib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaRuntime REQUIRED_VARS CudaRuntime_LIBRARY CudaRuntime_INCLUDE_DIR)
if(CudaRuntime_FOUND AND NOT TARGET CudaRuntime::cudart)
  add_library(CudaRuntime::cudart SHARED IMPORTED)
  set_target_properties(CudaRuntime::cudart PROPERTIES IMPORTED_LOCATION "${CudaRuntime_LIBRARY}"
                        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${CudaRuntime_INCLUDE_DIR}"
                        INTERFACE_INCLUDE_DIRECTORIES "${CudaRuntime_INCLUDE_DIR}")
endif()
