# cmake --install gives a tree that may be moved: bin/, lib/lockstep/ (LibTorch, where env/setup fetched it),
# share/lockstep/. Programs find their libraries by $ORIGIN. MPI, UCX, HDF5 and the like stay the system's.
include(GNUInstallDirs)

cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${Torch2_ROOT_DIR}" NORMALIZE _torch_is_ours)
option(LOCKSTEP_BUNDLE_TORCH "Copy LibTorch's libraries into the installed tree" ${_torch_is_ours})

set(_bundle_dir "${CMAKE_INSTALL_LIBDIR}/lockstep")
if(LOCKSTEP_BUNDLE_TORCH)
  set(_wanted libtorch_cpu.so libc10.so "libgomp*.so*" "libcudart.so.*" "libcupti.so.*")
  if(LOCKSTEP_BACKEND STREQUAL "cuda")
    # cuBLAS, cuDNN and the rest of what libtorch_cuda asks for come along where they lie beside LibTorch.
    list(APPEND _wanted "libtorch_cuda*.so" "libc10_cuda.so" "libtorch_nvshmem.so" "libcu*.so.*" "libnccl.so.*" "libnv*.so.*")
  endif()
  set(_bundled "")
  foreach(dir IN LISTS Torch2_LIBRARY_DIRS)
    foreach(pattern IN LISTS _wanted)
      file(GLOB _found "${dir}/${pattern}")
      list(APPEND _bundled ${_found})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES _bundled)
  install(FILES ${_bundled} DESTINATION "${_bundle_dir}")
  set(_install_rpath "$ORIGIN/../${_bundle_dir}")
else()
  set(_install_rpath "${Torch2_LIBRARY_DIRS}")
endif()

get_property(_programs GLOBAL PROPERTY LOCKSTEP_PROGRAMS)
foreach(program IN LISTS _programs)
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "${_install_rpath}")
  install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endforeach()

set(_share "${CMAKE_INSTALL_DATADIR}/lockstep")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/slurm" DESTINATION "${_share}" OPTIONAL)
install(FILES "${PROJECT_SOURCE_DIR}/env/activate" "${PROJECT_SOURCE_DIR}/env/versions" DESTINATION "${_share}/env")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/env/sites" DESTINATION "${_share}/env" OPTIONAL)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${_share}")
