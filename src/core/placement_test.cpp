#include "core/placement.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "core/canonical.hpp"
#include "core/hash.hpp"

namespace annals::core {
namespace {

using std::chrono::seconds;

constexpr Timestamp noon{seconds{1'800'000'000}};
const Uuid writer{{7}};

ValidEvent event_of(std::optional<std::string> stream) {
  ValidEvent event;
  event.type = "order.paid";
  event.stream = std::move(stream);
  event.resource.kind = "event";
  event.receive_action = "read";
  event.payload = R"({"n":1})";
  return event;
}

Draft draft_of(ValidEvent event, std::uint8_t id = 1) {
  return make_draft(std::move(event), Uuid{{id}}, writer, Salt{1}, Salt{2});
}

Draft draft_in(std::optional<std::string> stream, std::uint8_t id = 1) {
  return draft_of(event_of(std::move(stream)), id);
}

LogState state_at(std::uint64_t seq) {
  LogState state;
  state.log_id = Uuid{{9}};
  state.event_seq = seq;
  state.permission_version = 5;
  state.last_recorded_at = noon;
  state.log_hash = Digest{1, 2, 3};
  return state;
}

TEST(MakeDraft, MakesPartsAndDigests) {
  ValidEvent event = event_of({});
  event.meta.audience = "user/7";
  const Draft draft = draft_of(event);
  EXPECT_EQ(draft.payload, (Part{R"({"n":1})", Salt{1}}));
  EXPECT_EQ(draft.payload_digest, part_digest(Salt{1}, R"({"n":1})"));
  EXPECT_EQ(draft.meta, (Part{R"({"audience":"user/7"})", Salt{2}}));
  EXPECT_EQ(draft.meta_digest, part_digest(Salt{2}, R"({"audience":"user/7"})"));
  EXPECT_EQ(draft.event.payload, "");
  EXPECT_EQ(draft.key_id, writer);
  EXPECT_FALSE(draft.id_given);
}

TEST(MakeDraft, EmptyMetaHasNoPart) {
  ValidEvent event = event_of({});
  event.id = Uuid{{3}};
  const Draft draft = draft_of(std::move(event), 3);
  EXPECT_FALSE(draft.meta);
  EXPECT_FALSE(draft.meta_digest);
  EXPECT_TRUE(draft.id_given);
}

TEST(Placer, UnchainedEventHasNoLink) {
  Placer placer(state_at(41), noon + seconds{1});
  const Record record = placer.place(draft_in({}));
  EXPECT_EQ(record.header.seq, 42U);
  EXPECT_EQ(record.header.log_id, (Uuid{{9}}));
  EXPECT_EQ(record.header.permission_version, 5U);
  EXPECT_EQ(record.header.key_id, writer);
  EXPECT_EQ(record.header.recorded_at, noon + seconds{1});
  EXPECT_EQ(record.header.occurred_at, noon + seconds{1});
  EXPECT_FALSE(record.header.stream);
  EXPECT_FALSE(record.header.stream_seq);
  EXPECT_FALSE(record.prev_hash);
  EXPECT_EQ(record.row_hash, blake3(header_bytes(record.header)));
  EXPECT_FALSE(record.redacted());
  const Placement placement = placer.finish();
  EXPECT_TRUE(placement.heads.empty());
  EXPECT_EQ(placement.records, std::vector{record});
}

TEST(Placer, FirstEventOfAStreamHasNoPrefix) {
  Placer placer(state_at(0), noon);
  placer.set_head("s", std::nullopt);
  const Record record = placer.place(draft_in("s"));
  EXPECT_EQ(record.header.stream, "s");
  EXPECT_EQ(record.header.stream_seq, 1U);
  EXPECT_FALSE(record.prev_hash);
  EXPECT_EQ(record.row_hash, blake3(header_bytes(record.header)));
}

TEST(Placer, LinksToTheHeadAndToItsOwnEvents) {
  Placer placer(state_at(10), noon);
  placer.set_head("s", StreamHead{"s", 7, Digest{4}});
  placer.set_head("t", std::nullopt);
  placer.set_head("untouched", StreamHead{"untouched", 3, Digest{5}});
  const Record first = placer.place(draft_in("s"));
  const Record other = placer.place(draft_in("t"));
  const Record second = placer.place(draft_in("s"));
  EXPECT_EQ(first.header.stream_seq, 8U);
  EXPECT_EQ(first.prev_hash, Digest{4});
  EXPECT_EQ(first.row_hash, row_hash(Digest{4}, header_bytes(first.header)));
  EXPECT_EQ(second.header.stream_seq, 9U);
  EXPECT_EQ(second.prev_hash, first.row_hash);
  EXPECT_EQ(second.header.seq, 13U);
  EXPECT_EQ(placer.head("s"), (StreamHead{"s", 9, second.row_hash}));
  const std::vector<StreamHead> heads{{"s", 9, second.row_hash}, {"t", 1, other.row_hash}};
  EXPECT_EQ(placer.finish().heads, heads);
}

TEST(Placer, KnowsWhatItWasTold) {
  Placer placer(state_at(0), noon);
  EXPECT_FALSE(placer.knows("s"));
  placer.set_head("s", std::nullopt);
  EXPECT_TRUE(placer.knows("s"));
  EXPECT_EQ(placer.head("s"), std::nullopt);
  EXPECT_EQ(placer.head("t"), std::nullopt);
  EXPECT_THROW(placer.place(draft_in("t")), std::out_of_range);
}

TEST(Placer, TimeNeverRunsBackwards) {
  Placer placer(state_at(0), noon - seconds{60});
  EXPECT_EQ(placer.place(draft_in({})).header.recorded_at, noon);
  EXPECT_EQ(placer.state().last_recorded_at, noon);
}

TEST(Placer, ProducersTimeIsKept) {
  ValidEvent event = event_of({});
  event.occurred_at = noon - seconds{3600};
  Placer placer(state_at(0), noon);
  EXPECT_EQ(placer.place(draft_of(std::move(event))).header.occurred_at, noon - seconds{3600});
}

TEST(Placer, AudienceMakesItPrivate) {
  ValidEvent event = event_of({});
  event.meta.audience = "user/7";
  Placer placer(state_at(0), noon);
  EXPECT_TRUE(placer.place(draft_of(std::move(event))).header.is_private);
  EXPECT_FALSE(placer.place(draft_in({})).header.is_private);
}

TEST(Placer, PermissionVersionCountsFromTheBump) {
  Placer placer(state_at(0), noon);
  EXPECT_EQ(placer.place(draft_in({})).header.permission_version, 5U);
  placer.bump_permission_version();
  EXPECT_EQ(placer.place(draft_in({})).header.permission_version, 6U);
  const Placement placement = placer.finish();
  EXPECT_EQ(placement.before.permission_version, 5U);
  EXPECT_EQ(placement.after.permission_version, 6U);
}

TEST(Placer, StateAdvancesBesideTheOneBefore) {
  const LogState before = state_at(999);
  Placer placer(before, noon + seconds{5});
  const Digest first = placer.place(draft_in({})).row_hash;
  const Digest second = placer.place(draft_in({})).row_hash;
  const Digest at_mark = next_log_hash(before.log_hash, first);
  const Placement placement = placer.finish();
  EXPECT_EQ(placement.before, before);
  LogState after = before;
  after.event_seq = 1001;
  after.last_recorded_at = noon + seconds{5};
  after.log_hash = next_log_hash(at_mark, second);
  EXPECT_EQ(placement.after, after);
  EXPECT_EQ(placement.marks, (std::vector<HashMark>{{1000, at_mark}}));
}

TEST(Placer, IsEmptyAfterFinish) {
  Placer placer(state_at(0), noon);
  placer.set_head("s", std::nullopt);
  placer.place(draft_in("s"));
  static_cast<void>(placer.finish());
  EXPECT_FALSE(placer.knows("s"));
  EXPECT_TRUE(placer.finish().records.empty());
}

TEST(Placer, HighestNumberIsTwoToThe53MinusOne) {
  Placer placer(state_at(max_seq - 1), noon);
  EXPECT_EQ(placer.place(draft_in({})).header.seq, 9007199254740991U);
#ifndef NDEBUG
  EXPECT_DEATH(placer.place(draft_in({})), "max_seq");
#endif
}

TEST(Record, PayloadOfAnErasedOneIsAnEmptyObject) {
  Placer placer(state_at(0), noon);
  Record record = placer.place(draft_in({}));
  EXPECT_EQ(payload_of(record), R"({"n":1})");
  record.payload.reset();
  EXPECT_EQ(payload_of(record), "{}");
}

TEST(Record, MetaIsReadBackOrEmpty) {
  ValidEvent event = event_of({});
  event.meta.audience = "user/7";
  Placer placer(state_at(0), noon);
  Record record = placer.place(draft_of(event));
  EXPECT_EQ(meta_of(record), event.meta);
  record.meta->bytes += ' ';
  ASSERT_FALSE(meta_of(record).has_value());
  EXPECT_EQ(meta_of(record).error().code, ErrorCode::store_corrupt);
  record.meta.reset();
  EXPECT_EQ(meta_of(record), Meta{});
}

}  // namespace
}  // namespace annals::core
