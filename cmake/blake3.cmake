# Target annals::blake3: the system's libblake3 when there is one, otherwise the official C sources.
include_guard(GLOBAL)

set(ANNALS_BLAKE3_DIR "" CACHE PATH "Folder of the BLAKE3 C sources; empty searches the usual places")

add_library(annals_blake3_interface INTERFACE)
add_library(annals::blake3 ALIAS annals_blake3_interface)

if(NOT ANNALS_BLAKE3_DIR)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(LIBBLAKE3 QUIET IMPORTED_TARGET libblake3)
  endif()
  if(LIBBLAKE3_FOUND)
    target_link_libraries(annals_blake3_interface INTERFACE PkgConfig::LIBBLAKE3)
    return()
  endif()
endif()

file(GLOB cargo_folders /usr/share/cargo/registry/blake3-*/c)
set(blake3_dir "")
foreach(folder IN ITEMS "${ANNALS_BLAKE3_DIR}" "$ENV{ANNALS_BLAKE3_DIR}"
    /usr/local/share/annals/blake3 "${PROJECT_SOURCE_DIR}/build/blake3" ${cargo_folders})
  if(folder AND EXISTS "${folder}/blake3.c")
    set(blake3_dir "${folder}")
    break()
  endif()
endforeach()
if(NOT blake3_dir)
  message(FATAL_ERROR "BLAKE3 not found: run script/bootstrap, or set ANNALS_BLAKE3_DIR")
endif()

add_library(annals_blake3 STATIC
  "${blake3_dir}/blake3.c" "${blake3_dir}/blake3_dispatch.c" "${blake3_dir}/blake3_portable.c")
target_include_directories(annals_blake3 SYSTEM PUBLIC "$<BUILD_INTERFACE:${blake3_dir}>")
set_target_properties(annals_blake3 PROPERTIES COMPILE_WARNING_AS_ERROR OFF)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  foreach(level IN ITEMS sse2 sse41 avx2 avx512)
    target_sources(annals_blake3 PRIVATE "${blake3_dir}/blake3_${level}_x86-64_unix.S")
  endforeach()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  target_sources(annals_blake3 PRIVATE "${blake3_dir}/blake3_neon.c")
  target_compile_definitions(annals_blake3 PRIVATE BLAKE3_USE_NEON=1)
endif()

target_link_libraries(annals_blake3_interface INTERFACE annals_blake3)
