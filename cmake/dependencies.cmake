# Everything that comes from outside the tree. Upstream target names are kept where upstream has
# them; annals::blake3 and annals::boost_net are built here.
include_guard(GLOBAL)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(simdjson 3.0 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
if(ANNALS_TESTS)
  find_package(nlohmann_json 3.11 REQUIRED)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(ANNALS_BENCH)
  find_package(benchmark REQUIRED)
endif()

# Asio and Beast compiled once: a file that includes them pays for declarations only.
add_library(annals_boost_net STATIC cmake/boost_net/boost_net.cpp)
add_library(annals::boost_net ALIAS annals_boost_net)
target_compile_definitions(annals_boost_net PUBLIC
  BOOST_ASIO_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED
  BOOST_BEAST_SEPARATE_COMPILATION)
target_link_libraries(annals_boost_net PUBLIC
  Boost::headers OpenSSL::SSL OpenSSL::Crypto Threads::Threads)

include(blake3)
