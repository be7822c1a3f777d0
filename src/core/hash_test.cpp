#include "core/hash.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <simdjson.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace annals::core {
namespace {

std::string_view raw(const auto& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Blake3, OfficialVectors) {
  const std::string root = std::getenv("ANNALS_SOURCE_DIR");
  simdjson::dom::parser parser;
  const simdjson::dom::element document =
      parser.load(root + "/src/core/testdata/blake3_test_vectors.json");
  std::size_t cases = 0;
  for (const simdjson::dom::element item : simdjson::dom::array(document["cases"])) {
    const std::uint64_t size = item["input_len"];
    std::string input(size, '\0');
    for (std::size_t i = 0; i < input.size(); ++i) {
      input[i] = static_cast<char>(i % 251);
    }
    const std::string_view expected = item["hash"];
    EXPECT_EQ(to_hex(blake3(input)), expected.substr(0, 64)) << input.size();
    ++cases;
  }
  EXPECT_EQ(cases, 35U);
}

RC_GTEST_PROP(HashProperty, PrefixesAreConcatenated,
              (Salt salt, Digest previous, const std::string& bytes)) {
  RC_ASSERT(part_digest(salt, bytes) == blake3(std::string(raw(salt)) + bytes));
  RC_ASSERT(row_hash(previous, bytes) == blake3(std::string(raw(previous)) + bytes));
  RC_ASSERT(row_hash(std::nullopt, bytes) == blake3(bytes));
  const Digest row = blake3(bytes);
  RC_ASSERT(next_log_hash(previous, row) ==
            blake3(std::string(raw(previous)) + std::string(raw(row))));
}

TEST(RowHash, FirstEventHasNoZeroPrefix) {
  EXPECT_NE(row_hash(std::nullopt, "{}"), row_hash(Digest{}, "{}"));
}

TEST(EqualConstantTime, ComparesSizeAndEveryByte) {
  const std::vector<std::uint8_t> secret{1, 2, 3};
  EXPECT_TRUE(equal_constant_time(secret, std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_TRUE(equal_constant_time({}, {}));
  EXPECT_FALSE(equal_constant_time(secret, std::vector<std::uint8_t>{1, 2}));
  EXPECT_FALSE(equal_constant_time(secret, std::vector<std::uint8_t>{1, 2, 3, 0}));
  for (std::size_t i = 0; i < secret.size(); ++i) {
    auto other = secret;
    other[i] ^= 0x80;
    EXPECT_FALSE(equal_constant_time(secret, other)) << i;
  }
}

}  // namespace
}  // namespace annals::core
