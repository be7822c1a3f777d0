#include "testing/temp_dir.hpp"

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <string>
#include <system_error>

namespace annals::test {

TempDir::TempDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "annals-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), pattern);
  }
  path_ = pattern;
}

TempDir::~TempDir() {
  if (std::getenv("ANNALS_KEEP_TEMP") != nullptr) {
    std::cout << "[   kept   ] " << path_.string() << std::endl;
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace annals::test
