#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace annals::test {

/// The vectors of event streams, for emitters and parsers: tests/vectors/README.md.
inline nlohmann::json event_stream_vectors() {
  const char* root = std::getenv("ANNALS_SOURCE_DIR");
  std::ifstream file(std::filesystem::path(root == nullptr ? "." : root) /
                     "tests/vectors/event_stream.json");
  return nlohmann::json::parse(file);
}

}  // namespace annals::test
