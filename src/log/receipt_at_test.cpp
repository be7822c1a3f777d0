#include "log/receipt_at.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/hash.hpp"
#include "log/verify/recorded_log.hpp"

namespace annals::log {
namespace {

using test::RecordedLog;

TEST(ReceiptAt, EqualsTheRunningHashAtEveryEvent) {
  RecordedLog log;
  log.fill(2100, 3);
  Digest running{};
  for (const auto& [seq, record] : log.records) {
    running = core::next_log_hash(running, record.row_hash);
    const auto receipt = receipt_at(log, seq);
    ASSERT_TRUE(receipt);
    ASSERT_EQ(*receipt, (Receipt{seq, running}));
  }
  EXPECT_EQ(running, log.state_row.log_hash);
}

TEST(ReceiptAt, WorksWithoutMarks) {
  RecordedLog log;
  log.fill(2100, 3);
  const auto with_marks = receipt_at(log, 2050);
  log.marks.clear();
  EXPECT_EQ(receipt_at(log, 2050), with_marks);
}

TEST(ReceiptAt, ZeroIsTheBase) {
  RecordedLog log;
  EXPECT_EQ(receipt_at(log, 0), (Receipt{0, {}}));
  log.append({"a"});
  EXPECT_EQ(receipt_at(log, 0), (Receipt{0, {}}));
}

TEST(ReceiptAt, OfAnExpiredBeginningStartsAtTheBase) {
  RecordedLog log;
  log.append({"", "", "", ""});
  const auto base = receipt_at(log, 2);
  const auto third = receipt_at(log, 3);
  ASSERT_TRUE(base);
  log.state_row.oldest = 3;
  log.state_row.base_log_hash = base->log_hash;
  EXPECT_EQ(receipt_at(log, 2), base);
  EXPECT_EQ(receipt_at(log, 3), third);
  ASSERT_FALSE(receipt_at(log, 1));
  EXPECT_EQ(receipt_at(log, 1).error().code, ErrorCode::not_found);
}

TEST(ReceiptAt, NumbersWithoutAnEventAreNotFound) {
  RecordedLog log;
  log.append({"a"});
  log.skip_numbers(3);
  for (const std::uint64_t seq : {3U, 6U}) {
    const auto receipt = receipt_at(log, seq);
    ASSERT_FALSE(receipt) << seq;
    EXPECT_EQ(receipt.error().code, ErrorCode::not_found);
  }
  EXPECT_EQ(receipt_before(log, 4), receipt_at(log, 1)) << "the last event below";
}

TEST(ReceiptAt, ErrorOfTheStoreIsReturned) {
  RecordedLog log;
  log.append({"a", "a", "a"});
  log.unreadable.insert(1);
  const auto receipt = receipt_at(log, 2);
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.error().code, ErrorCode::store_corrupt);
}

}  // namespace
}  // namespace annals::log
