# cmake --install: the program, the headers of include/annals, and the libraries behind annals::open and
# annals::client for find_package(annals).
include_guard(GLOBAL)

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Inner modules first. Applications link the last two; the others are what these are made of.
set(ANNALS_INSTALLED_MODULES
  blake3_interface core boost_net wire log store_common store_index store_memory store_sqlite
  open client)

# annals_install()
# Called when all targets are there. A partial build (ANNALS_ONLY) installs nothing.
function(annals_install)
  if(ANNALS_ONLY)
    return()
  endif()
  install(TARGETS annals RUNTIME)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/annals" TYPE INCLUDE)

  set(modules ${ANNALS_INSTALLED_MODULES})
  set(ANNALS_SYSTEM_BLAKE3 ON)
  if(TARGET annals_blake3)
    set(ANNALS_SYSTEM_BLAKE3 OFF)
    list(PREPEND modules blake3)
  endif()
  set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/annals")
  foreach(module IN LISTS modules)
    set_target_properties(annals_${module} PROPERTIES EXPORT_NAME ${module})
    install(TARGETS annals_${module} EXPORT annals ARCHIVE)
  endforeach()
  install(EXPORT annals NAMESPACE annals:: FILE annalsTargets.cmake DESTINATION "${package_folder}")

  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/annalsConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/annalsConfig.cmake"
    INSTALL_DESTINATION "${package_folder}")
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/annalsConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(
    FILES "${PROJECT_BINARY_DIR}/annalsConfig.cmake" "${PROJECT_BINARY_DIR}/annalsConfigVersion.cmake"
    DESTINATION "${package_folder}")
endfunction()
