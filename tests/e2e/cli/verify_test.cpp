#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_test_case.hpp"

namespace annals::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CliVerify : public CliTestCase {
 protected:
  void SetUp() override {
    out_of({"append", "--type", "order.placed", "--stream", "order-1"});
    receipt_ = out_of({"append", "--type", "order.paid", "--stream", "order-1", "--json"});
    out_of({"append", "--type", "note.made"});
  }

  /// Changes the file behind the log's back, as somebody with the right to write it could.
  void tamper(const std::string& sql) const {
    const auto finished = shell(
        "sqlite3 annals.db \"SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master WHERE type = "
        "'trigger'\" > drop.sql && sqlite3 annals.db < drop.sql && sqlite3 annals.db \"" +
        sql + "\"");
    ASSERT_EQ(code_of(finished), 0) << finished.err;
  }

  std::string receipt_;
};

TEST_F(CliVerify, ACleanLogIsExitCodeZeroAndHasAReceipt) {
  const auto finished = annals({"verify"});
  EXPECT_EQ(code_of(finished), 0);
  EXPECT_THAT(finished.out, AllOf(HasSubstr("3 events looked at: 2 in 1 stream, 1 unchained"),
                                  HasSubstr("\nclean\n"), HasSubstr("\nreceipt 3:")));
  EXPECT_EQ(finished.err, "") << "progress belongs on terminals only";
  const auto report = json_of({"verify", "--json"}).at(0);
  EXPECT_EQ(report["verdict"], "clean");
  EXPECT_EQ(report["verified"], 3);
  EXPECT_EQ(report["finding_count"], 0);
}

TEST_F(CliVerify, AChangedColumnIsExitCodeThreeAndNamed) {
  tamper("UPDATE annals_events SET type = 'order.lost' WHERE seq = 2");
  const auto finished = annals({"verify"});
  EXPECT_EQ(code_of(finished), 3);
  EXPECT_THAT(finished.out,
              AllOf(HasSubstr("tampered (header)  seq 2  stream order-1"), HasSubstr("expected "),
                    HasSubstr("actual "), Not(HasSubstr("clean")), Not(HasSubstr("receipt "))));
  const auto json = annals({"verify", "--json"});
  EXPECT_EQ(code_of(json), 3);
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["verdict"], "findings");
  EXPECT_EQ(report["findings"][0]["verdict"], "tampered");
  EXPECT_EQ(report["findings"][0]["what"], "header");
  EXPECT_EQ(report["findings"][0]["seq"], 2);
  EXPECT_EQ(report["findings"][0]["stream"], "order-1");
}

TEST_F(CliVerify, ARemovedTailIsFound) {
  tamper("DELETE FROM annals_events WHERE seq = 3");
  EXPECT_EQ(code_of(annals({"verify"})), 3);
}

TEST_F(CliVerify, OneStreamOrARange) {
  tamper("UPDATE annals_events SET type = 'note.lost' WHERE seq = 3");
  EXPECT_EQ(code_of(annals({"verify", "--stream", "order-1"})), 0);
  EXPECT_EQ(code_of(annals({"verify", "--from", "1", "--to", "2"})), 0);
  EXPECT_EQ(code_of(annals({"verify", "--from", "3"})), 3);
  EXPECT_EQ(code_of(annals({"verify", "--from", "3", "--to", "2"})), 2);
  EXPECT_EQ(code_of(annals({"verify", "--stream", "order-1", "--from", "1"})), 2);
}

TEST_F(CliVerify, AReceiptKeptElsewhereIsCompared) {
  write("receipt.json", receipt_);
  EXPECT_EQ(code_of(annals({"verify", "--receipt", "receipt.json"})), 0);
  const auto answer = nlohmann::json::parse(receipt_);
  const std::string text = "2:" + answer["log_hash"].get<std::string>();
  write("receipt.txt", text + "\n");
  EXPECT_EQ(code_of(annals({"verify", "--receipt", "receipt.txt"})), 0);
  EXPECT_EQ(code_of(annals({"verify", "--expect", text})), 0);
  const auto other = annals({"verify", "--expect", "2:" + std::string(64, 'a')});
  EXPECT_EQ(code_of(other), 3);
  EXPECT_THAT(other.out, HasSubstr("log_hash_mismatch"));
}

TEST_F(CliVerify, WhatCannotBeCheckedIsExitCodeFour) {
  EXPECT_EQ(code_of(annals({"verify", "--receipt", "absent.json"})), 4);
  write("odd.json", "{}");
  EXPECT_EQ(code_of(annals({"verify", "--receipt", "odd.json"})), 4);
  EXPECT_EQ(code_of(annals({"verify", "--store", "sqlite:absent.db"})), 4);
  EXPECT_FALSE(exists("absent.db"));
  write("letter.txt", std::string(5000, 'x'));
  EXPECT_EQ(code_of(annals({"verify", "--store", "sqlite:letter.txt"})), 4);
  EXPECT_EQ(code_of(annals({"verify", "--expect", "nonsense"})), 2);
}

TEST_F(CliVerify, OnATerminalAVerificationShowsItsEndOnly) {
  const auto finished = shell("script -qec 'annals verify' /dev/null");
  EXPECT_EQ(code_of(finished), 0);
  EXPECT_THAT(finished.out, HasSubstr("clean"));
}

}  // namespace
}  // namespace annals::test
