include_guard(GLOBAL)

# Where every module and test finds headers: "core/record.hpp", "annals/event.hpp",
# "testing/fake_clock.hpp".
set(ANNALS_INCLUDE_DIRS
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")

option(ANNALS_COVERAGE "Count the lines that run in the modules with a gate" OFF)

# What script/lint/coverage.py has a gate for. Counting the others would only make them slow.
set(ANNALS_COVERED_MODULES core log wire store_common store_index store_memory store_sqlite)

# annals_library(<name> SOURCES <file>... [LINKS <target>...] [PRIVATE_LINKS <target>...])
# Static library annals_<name>, alias annals::<name>. LINKS reach those who link it (what its headers
# include), PRIVATE_LINKS do not. A module without sources becomes an interface library.
function(annals_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;PRIVATE_LINKS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "annals_library(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target "annals_${name}")
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PUBLIC
      "$<BUILD_INTERFACE:${ANNALS_INCLUDE_DIRS}>" "$<INSTALL_INTERFACE:include>")
    target_compile_features(${target} PUBLIC cxx_std_23)
    if(ANNALS_COVERAGE AND name IN_LIST ANNALS_COVERED_MODULES)
      target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
      target_link_options(${target} PUBLIC --coverage)
    endif()
    target_link_libraries(${target} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${ANNALS_INCLUDE_DIRS})
    target_link_libraries(${target} INTERFACE ${arg_LINKS} ${arg_PRIVATE_LINKS})
  endif()
  add_library(annals::${name} ALIAS ${target})
endfunction()

# annals_program(<name> SOURCES <file>... [LINKS <target>...])
# Executable <name> in bin/ of the build folder.
function(annals_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "annals_program(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${ANNALS_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
endfunction()
