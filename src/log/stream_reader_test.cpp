#include "log/stream_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "log/verify/recorded_log.hpp"

namespace annals::log {
namespace {

using test::RecordedLog;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

StreamPage read(RecordedLog& log, StreamReadOptions options) {
  options.verify = true;
  auto page = read_stream(log, "a", options);
  EXPECT_TRUE(page.has_value());
  return page.value_or(StreamPage{});
}

std::vector<std::uint64_t> numbers(const StreamPage& page) {
  std::vector<std::uint64_t> found;
  for (const auto& record : page.records)
    found.push_back(record.header.stream_seq.value_or(0));
  return found;
}

auto broken(std::uint64_t stream_seq, std::uint64_t seq, const std::string& reason) {
  return AllOf(Field(&ChainBreak::stream, "a"), Field(&ChainBreak::stream_seq, stream_seq),
               Field(&ChainBreak::seq, seq), Field(&ChainBreak::reason, reason));
}

constexpr StreamReadOptions forward{.after = 0, .limit = 10};
constexpr StreamReadOptions backward{.limit = 10, .order = Order::backward};

/// Stream a has the odd numbers 1 to 9.
RecordedLog five() {
  RecordedLog log;
  log.append({"a", "b", "a", "", "a", "b", "a", "", "a"});
  return log;
}

TEST(ReadStream, WithoutVerificationGivesWhatIsThere) {
  auto log = five();
  log.at(3).header.type = "order.paid";
  const auto page = read_stream(log, "a", forward);
  ASSERT_TRUE(page);
  EXPECT_THAT(numbers(*page), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(page->breaks, IsEmpty());
}

TEST(ReadStream, CleanPagesInBothDirections) {
  auto log = five();
  EXPECT_THAT(numbers(read(log, forward)), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(numbers(read(log, backward)), ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THAT(numbers(read(log, {.after = 2, .limit = 2})), ElementsAre(3, 4));
  EXPECT_THAT(numbers(read(log, {.before = 4, .limit = 2, .order = Order::backward})),
              ElementsAre(3, 2));
  for (const auto& options : {forward, backward})
    EXPECT_THAT(read(log, options).breaks, IsEmpty());
  EXPECT_THAT(read(log, {.after = 5, .limit = 2}).breaks, IsEmpty());
  EXPECT_THAT(read(log, {.before = 1, .limit = 2, .order = Order::backward}).breaks, IsEmpty());
}

TEST(ReadStream, UnknownStreamIsEmpty) {
  RecordedLog log;
  const auto page = read(log, forward);
  EXPECT_EQ(page.version, 0U);
  EXPECT_THAT(page.breaks, IsEmpty());
}

TEST(ReadStream, NothingPastAChangedRecord) {
  auto log = five();
  log.at(5).payload->bytes = "{}";
  const auto page = read(log, forward);
  EXPECT_THAT(numbers(page), ElementsAre(1, 2));
  EXPECT_THAT(page.breaks, ElementsAre(broken(3, 5, "hash_mismatch")));
  EXPECT_NE(page.breaks[0].expected, page.breaks[0].actual);
  const auto back = read(log, backward);
  EXPECT_THAT(numbers(back), ElementsAre(5, 4));
  EXPECT_THAT(back.breaks, ElementsAre(broken(3, 5, "hash_mismatch")));
}

TEST(ReadStream, NothingPastAWrongLink) {
  auto log = five();
  Record& record = log.at(5);
  record.prev_hash->at(0) ^= 1;
  record.row_hash = core::row_hash(record.prev_hash, core::header_bytes(record.header));
  const auto page = read(log, forward);
  EXPECT_THAT(numbers(page), ElementsAre(1, 2));
  EXPECT_THAT(page.breaks,
              ElementsAre(AllOf(broken(3, 5, "hash_mismatch"),
                                Field(&ChainBreak::expected, to_hex(log.at(3).row_hash)))));
}

TEST(ReadStream, NothingPastAMissingRecord) {
  auto log = five();
  log.records.erase(5);
  const auto page = read(log, forward);
  EXPECT_THAT(numbers(page), ElementsAre(1, 2));
  EXPECT_THAT(page.breaks, ElementsAre(broken(4, 7, "gap")));
  EXPECT_THAT(numbers(read(log, backward)), ElementsAre(5));
}

TEST(ReadStream, MissingTailIsAGap) {
  auto log = five();
  log.records.erase(9);
  log.records.erase(7);
  const auto page = read(log, forward);
  EXPECT_THAT(numbers(page), ElementsAre(1, 2, 3));
  EXPECT_THAT(page.breaks, ElementsAre(broken(4, 5, "gap")));
  const auto back = read(log, backward);
  EXPECT_THAT(numbers(back), IsEmpty());
  EXPECT_THAT(back.breaks, ElementsAre(broken(5, 5, "gap")));
  EXPECT_THAT(read(log, {.after = 0, .limit = 2}).breaks, IsEmpty()) << "not reached yet";
}

TEST(ReadStream, MissingBeginningIsAGap) {
  auto log = five();
  log.records.erase(1);
  EXPECT_THAT(read(log, forward).breaks, ElementsAre(broken(2, 3, "gap")));
}

TEST(ReadStream, EverythingMissingIsAGap) {
  RecordedLog log;
  log.append({"a", "a"});
  log.records.clear();
  EXPECT_THAT(read(log, forward).breaks, ElementsAre(broken(1, 0, "gap")));
  EXPECT_THAT(read(log, backward).breaks, ElementsAre(broken(2, 0, "gap")));
}

TEST(ReadStream, StartsFromThePreviousRecordsHash) {
  auto log = five();
  log.at(1).header.type = "order.paid";
  EXPECT_THAT(numbers(read(log, {.after = 1, .limit = 10})), ElementsAre(2, 3, 4, 5));
  log.at(1).row_hash.at(0) ^= 1;
  const auto page = read(log, {.after = 1, .limit = 10});
  EXPECT_THAT(numbers(page), IsEmpty());
  EXPECT_THAT(page.breaks, ElementsAre(broken(2, 3, "hash_mismatch")));
}

TEST(ReadStream, HeadOfAnotherHashIsABreakOfTheNewest) {
  auto log = five();
  log.heads.at("a").hash.at(0) ^= 1;
  const auto page = read(log, forward);
  EXPECT_THAT(numbers(page), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(page.breaks, ElementsAre(broken(5, 9, "hash_mismatch")));
  EXPECT_THAT(numbers(read(log, backward)), IsEmpty());
}

TEST(ReadStream, RedactedRecordsStillChain) {
  auto log = five();
  log.erase(5, true, false);
  EXPECT_THAT(numbers(read(log, forward)), ElementsAre(1, 2, 3, 4, 5));
}

TEST(ReadStream, ExpiredPredecessorIsTakenAsGiven) {
  auto log = five();
  log.state_row.oldest = 4;
  EXPECT_THAT(numbers(read(log, forward)), ElementsAre(3, 4, 5));
  EXPECT_THAT(numbers(read(log, {.after = 2, .limit = 10})), ElementsAre(3, 4, 5));
  EXPECT_THAT(numbers(read(log, backward)), ElementsAre(5, 4, 3));
  EXPECT_THAT(read(log, backward).breaks, IsEmpty());
}

TEST(ReadStream, UnreadableRecordIsAnErrorAndNoGap) {
  auto log = five();
  log.unreadable.insert(5);
  const auto page = read(log, forward);
  EXPECT_THAT(numbers(page), ElementsAre(1, 2));
  EXPECT_THAT(page.breaks, IsEmpty());
  const auto next = read_stream(log, "a", {.after = 2, .limit = 10, .verify = true});
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, ErrorCode::store_corrupt);
}

}  // namespace
}  // namespace annals::log
