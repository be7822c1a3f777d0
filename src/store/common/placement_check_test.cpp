#include "store/common/placement_check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace annals::store {
namespace {

Uuid uuid(std::uint8_t last) {
  Uuid id;
  id.bytes.back() = last;
  return id;
}

Digest digest(std::uint8_t byte) {
  Digest value{};
  value.fill(byte);
  return value;
}

/// A record with its parts; a stream makes it a chained one.
Record record(std::uint64_t seq, std::optional<std::string> stream, std::uint64_t stream_seq) {
  Record made;
  made.header.log_id = uuid(1);
  made.header.seq = seq;
  made.header.id = uuid(static_cast<std::uint8_t>(seq + 100));
  made.header.stream = std::move(stream);
  if (made.header.stream) made.header.stream_seq = stream_seq;
  made.row_hash = digest(static_cast<std::uint8_t>(seq));
  if (stream_seq > 1) made.prev_hash = digest(static_cast<std::uint8_t>(seq - 1));
  made.payload = Part{"{}", {}};
  return made;
}

/// Three events after 10: two of stream "a", which has had 4, and an unchained one.
core::Placement valid() {
  core::Placement placement;
  placement.before.log_id = uuid(1);
  placement.before.event_seq = 10;
  placement.before.last_recorded_at = Timestamp{std::chrono::seconds(5)};
  placement.after = placement.before;
  placement.after.event_seq = 13;
  placement.after.permission_version = 1;
  placement.after.log_hash = digest(99);
  placement.records = {record(11, "a", 5), record(12, "a", 6), record(13, std::nullopt, 0)};
  placement.heads = {{"a", 6, digest(12)}};
  return placement;
}

TEST(PlacementCheck, TellsWhatHeadsMustBe) {
  const auto placement = valid();
  const auto changes = check_placement(placement);
  ASSERT_TRUE(changes) << changes.error().detail;
  ASSERT_EQ(changes->size(), 1U);
  const auto& [stream, change] = *changes->begin();
  EXPECT_EQ(stream, "a");
  EXPECT_EQ(change.before, 4U);
  EXPECT_EQ(change.before_hash, digest(10));
  EXPECT_EQ(change.after, &placement.heads.front());
}

TEST(PlacementCheck, AcceptsTheFirstEventOfAStream) {
  auto placement = valid();
  placement.records = {record(11, "b", 1)};
  placement.after.event_seq = 11;
  placement.heads = {{"b", 1, digest(11)}};
  const auto changes = check_placement(placement);
  ASSERT_TRUE(changes) << changes.error().detail;
  EXPECT_EQ(changes->begin()->second.before, 0U);
  EXPECT_FALSE(changes->begin()->second.before_hash);
}

TEST(PlacementCheck, AcceptsErasedParts) {
  auto placement = valid();
  auto& erased = placement.records.back();
  erased.payload.reset();
  erased.redacted_at = Timestamp{};
  EXPECT_TRUE(check_placement(placement));
  erased.header.meta_digest = digest(1);
  EXPECT_TRUE(check_placement(placement));
}

struct Fault {
  std::string name;
  std::function<void(core::Placement&)> break_it;
};

class PlacementFault : public ::testing::TestWithParam<Fault> {};

TEST_P(PlacementFault, IsFound) {
  auto placement = valid();
  GetParam().break_it(placement);
  const auto changes = check_placement(placement);
  ASSERT_FALSE(changes);
  EXPECT_EQ(changes.error().code, ErrorCode::internal);
}

using P = core::Placement;

INSTANTIATE_TEST_SUITE_P(
    All, PlacementFault,
    ::testing::Values(
        Fault{"too_few_records", [](P& p) { p.records.pop_back(); }},
        Fault{"head_beyond_the_advance", [](P& p) { p.after.event_seq = 14; }},
        Fault{"beyond_the_last_number",
              [](P& p) {
                p.before.event_seq = max_seq;
                p.after.event_seq = max_seq + 3;
              }},
        Fault{"oldest_moves", [](P& p) { p.after.oldest = 2; }},
        Fault{"frozen_changes", [](P& p) { p.after.frozen = true; }},
        Fault{"permission_goes_back", [](P& p) { p.before.permission_version = 2; }},
        Fault{"time_goes_back", [](P& p) { p.after.last_recorded_at = Timestamp{}; }},
        Fault{"hole", [](P& p) { p.records.at(1).header.seq = 13; }},
        Fault{"other_log", [](P& p) { p.records.at(1).header.log_id = uuid(2); }},
        Fault{"part_missing", [](P& p) { p.records.at(0).payload.reset(); }},
        Fault{"redacted_with_all_parts", [](P& p) { p.records.at(0).redacted_at = Timestamp{}; }},
        Fault{"meta_without_digest", [](P& p) { p.records.at(0).meta = Part{"{}", {}}; }},
        Fault{"stream_without_number", [](P& p) { p.records.at(0).header.stream_seq.reset(); }},
        Fault{"number_without_stream", [](P& p) { p.records.at(2).header.stream_seq = 1; }},
        Fault{"unchained_with_prev_hash", [](P& p) { p.records.at(2).prev_hash = digest(1); }},
        Fault{"chained_without_prev_hash", [](P& p) { p.records.at(0).prev_hash.reset(); }},
        Fault{"stream_seq_zero",
              [](P& p) {
                p.records.at(0).header.stream_seq = 0;
                p.records.at(0).prev_hash.reset();
              }},
        Fault{"no_head", [](P& p) { p.heads.clear(); }},
        Fault{"two_heads", [](P& p) { p.heads.push_back(p.heads.front()); }},
        Fault{"head_without_event", [](P& p) { p.heads.push_back({"b", 1, digest(1)}); }},
        Fault{"head_of_wrong_version", [](P& p) { p.heads.front().version = 7; }},
        Fault{"head_of_wrong_hash", [](P& p) { p.heads.front().hash = digest(1); }},
        Fault{"broken_link", [](P& p) { p.records.at(1).prev_hash = digest(50); }},
        Fault{"stream_hole", [](P& p) { p.records.at(1).header.stream_seq = 7; }}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace annals::store
