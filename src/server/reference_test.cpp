#include "server/reference.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace annals::server {
namespace {

TEST(Reference, ThePageInTheTreeIsTheGeneratedOne) {
  const char* root = std::getenv("ANNALS_SOURCE_DIR");
  ASSERT_NE(root, nullptr);
  std::ifstream file{std::string{root} + "/docs/http-reference.md"};
  const std::string committed{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_EQ(committed, reference_page())
      << "make it again: annals http-reference > docs/http-reference.md";
}

}  // namespace
}  // namespace annals::server
