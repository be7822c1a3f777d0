# Language level, warnings, sanitizers, compiler cache and linker, for every target of the tree.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# Assertions stay on in the developer's build; line tables are all that a stack trace needs.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

# Warnings of our own code only: third-party headers are system headers, and the C sources of
# BLAKE3 are not ours to change.
add_compile_options(
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow>"
  # A designated initializer leaves the fields it does not name to their defaults on purpose.
  "$<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: operator+ of a literal and a std::string is reported as overlapping.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>")
endif()

if(ANNALS_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Instrumentation hides from the optimizer what it needs to see that a value is set.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
if(ANNALS_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(ANNALS_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Asio's fences are reported as unsupported; its queues are ordered by a mutex as well, which the
    # sanitizer does see.
    add_compile_options(-Wno-tsan)
  endif()
  add_link_options(-fsanitize=thread)
elseif(ANNALS_SANITIZE)
  message(FATAL_ERROR "ANNALS_SANITIZE must be empty, address or thread, not '${ANNALS_SANITIZE}'")
endif()

find_program(ANNALS_CCACHE ccache)
mark_as_advanced(ANNALS_CCACHE)
if(ANNALS_CCACHE)
  # Paths below the source tree are hashed relative to the build folder, so that every build folder
  # of every clone shares one cache.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    "${ANNALS_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

find_program(ANNALS_MOLD mold)
find_program(ANNALS_LLD NAMES ld.lld ld.lld-19)
mark_as_advanced(ANNALS_MOLD ANNALS_LLD)
if(ANNALS_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(ANNALS_LLD)
  add_link_options(-fuse-ld=lld)
endif()
