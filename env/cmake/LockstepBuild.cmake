# How every target of the project is built: standard, warnings, sanitizers, run paths, and the three
# functions that the lists in lib/, apps/ and tests/ use.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(LOCKSTEP_CCACHE ccache)
if(LOCKSTEP_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${LOCKSTEP_CCACHE}")
endif()

add_library(lockstep_flags INTERFACE)
target_compile_options(
  lockstep_flags
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            -Wsign-conversion
            -Wshadow
            -Wold-style-cast
            -Wnon-virtual-dtor
            -Werror)
# A program asks the loader only for what it calls: lockstep-ckpt opens no LibTorch.
target_link_options(lockstep_flags INTERFACE -Wl,--as-needed)
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
  target_link_options(lockstep_flags INTERFACE -fsanitize=address,undefined)
endif()

# lockstep_module(name SOURCES a.cpp... HEADERS a.hpp... [DEPENDS lockstep::x | Vendor::y ...] [PRIVATE_DEPENDS ...])
# One folder of lib/ = one static library lockstep::name. Headers are checked to compile alone by
# the target all_verify_interface_header_sets.
function(lockstep_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(lockstep_${name} STATIC ${arg_SOURCES})
  add_library(lockstep::${name} ALIAS lockstep_${name})
  target_sources(lockstep_${name} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/lib" FILES ${arg_HEADERS})
  target_include_directories(lockstep_${name} PUBLIC "${PROJECT_SOURCE_DIR}/lib")
  target_link_libraries(lockstep_${name} PUBLIC ${arg_DEPENDS} PRIVATE lockstep_flags ${arg_PRIVATE_DEPENDS})
  set_target_properties(lockstep_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# lockstep_program(name SOURCES main.cpp DEPENDS lockstep::x ...)
function(lockstep_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} lockstep_flags)
  set_property(GLOBAL APPEND PROPERTY LOCKSTEP_PROGRAMS ${name}) # what cmake --install installs
endfunction()
