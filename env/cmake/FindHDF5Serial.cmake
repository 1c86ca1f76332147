# The HDF5 C library without MPI, as HDF5Serial::hdf5. HDF5_ROOT names one that is not in the system's folders.
#
# The static library is taken where there is one: the shared one of Debian brings libcurl, and with it LDAP, Kerberos and some
# forty libraries more, to each start of each rank, for a driver (S3) that nothing here calls.
find_path(HDF5Serial_INCLUDE_DIR hdf5.h HINTS ENV HDF5_ROOT PATH_SUFFIXES include include/hdf5/serial hdf5/serial)
find_library(HDF5Serial_LIBRARY NAMES libhdf5_serial.a libhdf5.a hdf5_serial hdf5 HINTS ENV HDF5_ROOT
             PATH_SUFFIXES lib lib64 hdf5/serial)
if(HDF5Serial_INCLUDE_DIR)
  file(STRINGS "${HDF5Serial_INCLUDE_DIR}/H5public.h" _hdf5_lines REGEX "define H5_VERS_(MAJOR|MINOR|RELEASE)[ \t]")
  string(REGEX REPLACE "[^0-9]*5_VERS_MAJOR[ \t]+([0-9]+).*5_VERS_MINOR[ \t]+([0-9]+).*5_VERS_RELEASE[ \t]+([0-9]+).*" "\\1.\\2.\\3"
                       HDF5Serial_VERSION "${_hdf5_lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5Serial REQUIRED_VARS HDF5Serial_LIBRARY HDF5Serial_INCLUDE_DIR VERSION_VAR HDF5Serial_VERSION)
if(HDF5Serial_FOUND AND NOT TARGET HDF5Serial::hdf5)
  add_library(HDF5Serial::hdf5 UNKNOWN IMPORTED)
  set_target_properties(HDF5Serial::hdf5 PROPERTIES IMPORTED_LOCATION "${HDF5Serial_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${HDF5Serial_INCLUDE_DIR}")
  if(HDF5Serial_LIBRARY MATCHES "\\.a$")
    find_library(HDF5Serial_SZ_LIBRARY sz)
    target_link_libraries(HDF5Serial::hdf5 INTERFACE ZLIB::ZLIB ${CMAKE_DL_LIBS} m Threads::Threads)
    if(HDF5Serial_SZ_LIBRARY)
      target_link_libraries(HDF5Serial::hdf5 INTERFACE "${HDF5Serial_SZ_LIBRARY}")
    endif()
  endif()
endif()
