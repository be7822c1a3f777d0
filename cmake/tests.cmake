include_guard(GLOBAL)

set(ANNALS_TEST_TIMEOUT_FACTOR 1 CACHE STRING "Multiplies the time limit of every test")

set(ANNALS_TEST_LABELS unit contract property fault crash e2e compat)

if(ANNALS_TESTS)
  add_library(annals_test_main OBJECT "${PROJECT_SOURCE_DIR}/testing/test_main.cpp")
  target_include_directories(annals_test_main PUBLIC ${ANNALS_INCLUDE_DIRS})
  target_link_libraries(annals_test_main PUBLIC GTest::gtest GTest::gmock)
endif()

# annals_test(<name> LABEL <label> SOURCES <file>... [LINKS <target>...] [TIMEOUT <seconds>]
#             [ENVIRONMENT <NAME=value>...] [SANITIZE all|memory|off] [SERIAL])
# GoogleTest executable test/<name> in the build folder, and one ctest entry of the same name.
#   LABEL     one of ANNALS_TEST_LABELS
#   TIMEOUT   default 120; three times as long under a sanitizer
#   SANITIZE  which sanitizer builds contain it: all (default), memory (not the thread sanitizer),
#             off. Anything but all needs a comment that says why.
#   SERIAL    runs while no other test does
# The test sees ANNALS_SOURCE_DIR (the tree, for golden files) and, when the program is part of the
# build, ANNALS_BINARY (the path of annals).
function(annals_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "LABEL;TIMEOUT;SANITIZE"
    "SOURCES;LINKS;ENVIRONMENT")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "annals_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_LABEL IN_LIST ANNALS_TEST_LABELS)
    message(FATAL_ERROR "annals_test(${name}): LABEL must be one of ${ANNALS_TEST_LABELS}")
  endif()
  if(NOT arg_SANITIZE)
    set(arg_SANITIZE all)
  elseif(NOT arg_SANITIZE MATCHES "^(all|memory|off)$")
    message(FATAL_ERROR "annals_test(${name}): SANITIZE must be all, memory or off")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(NOT ANNALS_TESTS)
    return()
  endif()

  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    set_property(GLOBAL APPEND PROPERTY ANNALS_REGISTERED_TESTS "${source}")
  endforeach()
  if(ANNALS_SANITIZE AND arg_SANITIZE STREQUAL "off")
    return()
  endif()
  if(ANNALS_SANITIZE STREQUAL "thread" AND arg_SANITIZE STREQUAL "memory")
    return()
  endif()

  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")
  target_link_libraries(${name} PRIVATE annals_test_main ${arg_LINKS})
  # Assertions run once and are compiled often; what they test keeps its own flags.
  target_compile_options(${name} PRIVATE -O0)
  add_test(NAME ${name} COMMAND ${name})

  set(environment "ANNALS_SOURCE_DIR=${PROJECT_SOURCE_DIR}" ${arg_ENVIRONMENT})
  if(TARGET annals)
    list(APPEND environment "ANNALS_BINARY=$<TARGET_FILE:annals>")
    # Building the test alone must not leave it with an old program to run.
    if(arg_LABEL MATCHES "^(fault|crash|e2e|compat)$")
      add_dependencies(${name} annals)
    endif()
  endif()
  math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * ${ANNALS_TEST_TIMEOUT_FACTOR}")
  if(ANNALS_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 3")
    list(APPEND environment
      "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1"
      "UBSAN_OPTIONS=print_stacktrace=1"
      "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")
  endif()
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABEL}"
    TIMEOUT "${arg_TIMEOUT}"
    ENVIRONMENT "${environment}"
    RUN_SERIAL "${arg_SERIAL}")
endfunction()

# annals_fuzz(<name> SOURCES <file>... [LINKS <target>...])
# libFuzzer executable fuzz/<name> in the build folder, instrumented with ASan and UBSan.
function(annals_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "annals_fuzz(${name}): the fuzz targets need clang")
  endif()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  target_include_directories(${name} PRIVATE ${ANNALS_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()

# Fails when a *_test.cpp of the tree was given to no annals_test(): it would never run. A file that
# git does not know yet may be half-written: it only warns.
function(annals_check_registered_tests)
  if(NOT ANNALS_REQUIRE_REGISTERED_TESTS OR ANNALS_ONLY)
    return()
  endif()
  get_property(registered GLOBAL PROPERTY ANNALS_REGISTERED_TESTS)
  set(folders src testing tests fuzz bench examples)
  list(TRANSFORM folders APPEND "/*_test.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE files RELATIVE "${PROJECT_SOURCE_DIR}" ${patterns})
  execute_process(
    COMMAND git ls-files --others --exclude-standard -- ${patterns}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    OUTPUT_VARIABLE untracked ERROR_QUIET)
  string(REPLACE "\n" ";" untracked "${untracked}")
  foreach(file IN LISTS files)
    if("${PROJECT_SOURCE_DIR}/${file}" IN_LIST registered)
      continue()
    elseif(file IN_LIST untracked)
      message(WARNING "${file} is in no annals_test()")
    else()
      string(APPEND unregistered "\n  ${file}")
    endif()
  endforeach()
  if(unregistered)
    message(FATAL_ERROR "These tests are in no annals_test() and would never run:${unregistered}")
  endif()
endfunction()
