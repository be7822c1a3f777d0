#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_test_case.hpp"

namespace annals::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CliShow : public CliTestCase {
 protected:
  void SetUp() override {
    out_of({"append", "--type", "order.placed", "--stream", "order-1", "--label", "status=new"});
    out_of(
        {"append", "--type", "order.paid", "--stream", "order-1", "--payload", R"({"total":12})"});
    out_of({"append", "--type", "note.made"});
  }

  /// The stored hash, from the file itself.
  std::string stored(const std::string& column, int seq) const {
    const auto finished = shell("sqlite3 annals.db \"SELECT lower(hex(" + column +
                                ")) FROM annals_events WHERE seq = " + std::to_string(seq) + "\"");
    EXPECT_EQ(code_of(finished), 0) << finished.err;
    return lines_of(finished.out).at(0);
  }

  std::string b3sum(const std::string& words) const {
    const auto finished = shell("annals show " + words + " --hashed | b3sum");
    EXPECT_EQ(code_of(finished), 0) << finished.err;
    return finished.out.substr(0, 64);
  }
};

TEST_F(CliShow, TheHashedBytesHashToTheStoredHash) {
  EXPECT_EQ(b3sum("1 --form header"), stored("row_hash", 1)) << "first of a stream";
  EXPECT_EQ(b3sum("2 --form header"), stored("row_hash", 2)) << "chained";
  EXPECT_EQ(b3sum("3 --form header"), stored("row_hash", 3)) << "unchained";
}

TEST_F(CliShow, SaltedPartsHashToTheDigestsOfTheHeader) {
  const auto header = nlohmann::json::parse(out_of({"show", "1", "--form", "header"}));
  EXPECT_EQ(b3sum("1 --form payload"), header["payload"].get<std::string>());
  EXPECT_EQ(b3sum("1 --form meta"), header["meta"].get<std::string>());
}

TEST_F(CliShow, FormsAreExactAndWithoutNewline) {
  EXPECT_EQ(out_of({"show", "2", "--form", "payload"}), R"({"total":12})");
  EXPECT_EQ(out_of({"show", "1", "--form", "meta"}), R"({"labels":{"status":"new"}})");
  const auto header = out_of({"show", "1", "--form", "header"});
  EXPECT_TRUE(header.starts_with('{') && header.ends_with('}'));
  const auto hashed = out_of({"show", "2", "--form", "header", "--hashed"});
  EXPECT_EQ(hashed.substr(32), out_of({"show", "2", "--form", "header"}));
  EXPECT_EQ(out_of({"show", "1", "--form", "header", "--hashed"}), header)
      << "no hash before the first";
}

TEST_F(CliShow, ByNumberOrId) {
  const auto by_seq = json_of({"show", "2"});
  ASSERT_EQ(by_seq.size(), 1U);
  const auto id = by_seq[0]["id"].get<std::string>();
  EXPECT_EQ(json_of({"show", id}), by_seq);
}

TEST_F(CliShow, WhatIsNotThereIsSaidSo) {
  const auto absent = annals({"show", "4"});
  EXPECT_EQ(code_of(absent), 1);
  EXPECT_THAT(absent.err, HasSubstr("not_found"));
  const auto no_meta = annals({"show", "3", "--form", "meta"});
  EXPECT_EQ(code_of(no_meta), 1);
  // A server does not tell whether a part is gone or was never there.
  EXPECT_THAT(no_meta.err, AllOf(HasSubstr(through_server() ? "not_found" : "no meta"),
                                 Not(HasSubstr("erased"))));
  EXPECT_EQ(code_of(annals({"show", "1", "--hashed"})), 2);
  EXPECT_EQ(code_of(annals({"show", "x"})), 2);
  EXPECT_EQ(code_of(annals({"show", "1", "--form", "body"})), 2);
  EXPECT_EQ(code_of(annals({"show"})), 2);
}

TEST_F(CliShow, OnATerminalOneMemberALine) {
  const auto shown = shell("script -qec 'annals show 2' /dev/null");
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("order-1#2"), HasSubstr("row_hash"), HasSubstr("{\"total\":12}")));
}

}  // namespace
}  // namespace annals::test
