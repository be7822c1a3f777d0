#include "cli/receipt.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "testing/temp_dir.hpp"

namespace annals::cli {
namespace {

const std::string hash(64, 'a');

TEST(Receipt, TextForm) {
  const auto receipt = parse_receipt("42:" + hash);
  ASSERT_TRUE(receipt);
  EXPECT_EQ(receipt->head, 42U);
  EXPECT_EQ(to_string(*receipt), "42:" + hash);
  for (const auto& text : {std::string{}, std::string("42"), "42:" + hash.substr(1), "x:" + hash,
                           "042:" + hash, "42:" + hash + "a", " 42:" + hash, ":" + hash}) {
    EXPECT_FALSE(parse_receipt(text)) << text;
  }
}

class ReceiptFile : public ::testing::Test {
 protected:
  Outcome<Receipt> read(const std::string& text) const {
    const auto file = folder_ / "receipt";
    std::ofstream(file, std::ios::binary) << text;
    return read_receipt(file);
  }

  test::TempDir folder_;
};

TEST_F(ReceiptFile, TextOrTheAnswerOfAnAppend) {
  for (const auto& text :
       {"42:" + hash + "\n", R"({"head":42,"log_hash":")" + hash + "\"}",
        R"( {"seq":42,"id":"x","events":[{"head":1}],"log_hash":")" + hash + "\",\"head\":42}\n"}) {
    const auto receipt = read(text);
    ASSERT_TRUE(receipt) << text;
    EXPECT_EQ(receipt->head, 42U);
    EXPECT_EQ(to_hex(receipt->log_hash), hash);
  }
}

TEST_F(ReceiptFile, WhatIsNoReceiptCannotBeChecked) {
  for (const auto& text :
       {std::string{}, std::string("{}"), std::string(R"({"head":42})"),
        R"({"head":"42","log_hash":")" + hash + "\"}", R"({"head":42,"log_hash":")" + hash + "\"",
        R"({"head":42,"log_hash":")" + hash + "\"}{}",
        std::string(R"({"head":42,"log_hash":"aa"})")}) {
    const auto receipt = read(text);
    ASSERT_FALSE(receipt) << text;
    EXPECT_EQ(receipt.error().code, ExitCode::unchecked) << text;
  }
  const auto absent = read_receipt(folder_ / "absent");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ExitCode::unchecked);
}

}  // namespace
}  // namespace annals::cli
