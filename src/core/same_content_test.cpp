#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "core/placement.hpp"

namespace annals::core {
namespace {

constexpr Timestamp noon{std::chrono::seconds{1'800'000'000}};

/// Everything given.
ValidEvent full_event() {
  ValidEvent event;
  event.id = Uuid{{1}};
  event.type = "order.paid";
  event.schema_version = 2;
  event.source = "rest";
  event.stream = "order-1";
  event.occurred_at = noon;
  event.scope = {"s", "c", "t"};
  event.resource = {"order", "o-1", 3};
  event.receive_action = "admin";
  event.truncated = true;
  event.payload = R"({"n":1})";
  event.meta = {Actor{ActorKind::user, "u-1"},
                "user/7",
                {{"status", "success"}},
                "m-1",
                Uuid{{2}},
                Uuid{{3}},
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"};
  event.resource_kind_given = true;
  event.receive_action_given = true;
  event.correlation_given = true;
  return event;
}

/// Drafts of one event differ in salts, as two attempts do.
Draft draft_of(ValidEvent event, std::uint8_t salt = 1, Uuid key = Uuid{{7}}) {
  const Uuid id = event.id.value_or(Uuid{{99}});
  return make_draft(std::move(event), id, key, Salt{salt}, Salt{salt, salt});
}

Record stored(ValidEvent event) {
  LogState state;
  state.event_seq = 5;
  Placer placer(state, noon + std::chrono::hours{1});
  placer.set_head("order-1", StreamHead{"order-1", 4, Digest{1}});
  return placer.place(draft_of(std::move(event)));
}

TEST(SameContent, ARepeatWithOtherSaltsIsTheSame) {
  EXPECT_TRUE(same_content(draft_of(full_event(), 9), stored(full_event())));
  EXPECT_TRUE(same_content(draft_of(ValidEvent{}, 9), stored(ValidEvent{})));
}

TEST(SameContent, AnotherWriterIsNot) {
  EXPECT_FALSE(same_content(draft_of(full_event(), 1, Uuid{{8}}), stored(full_event())));
}

TEST(SameContent, EveryMemberTheProducerSentCounts) {
  const Record record = stored(full_event());
  const auto differs = [&](const std::function<void(ValidEvent&)>& edit) {
    ValidEvent event = full_event();
    edit(event);
    return !same_content(draft_of(std::move(event)), record);
  };
  EXPECT_TRUE(differs([](ValidEvent& e) { e.id = Uuid{{4}}; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.type = "order.shipped"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.schema_version = 1; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.source.reset(); }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.stream = "order-2"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.stream.reset(); }));
  EXPECT_TRUE(differs([](ValidEvent& e) { *e.occurred_at += std::chrono::microseconds{1}; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.scope.space_id.reset(); }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.scope.channel_id = "x"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.scope.thread_id = "x"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.resource.kind = "x"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.resource.id.reset(); }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.resource.version = 4; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.receive_action = "read"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.truncated = false; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.payload = R"({"n":1.0})"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.meta.actor->id = "u-2"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.meta.audience = "user/8"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.meta.audience.reset(); }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.meta.labels["status"] = "failure"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.meta.client_msg_id = "m-2"; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.meta.correlation_id = Uuid{{4}}; }));
  EXPECT_TRUE(differs([](ValidEvent& e) { e.meta.causation_id.reset(); }));
}

TEST(SameContent, WhatTheLogFillsInMatchesWhenLeftOut) {
  ValidEvent bare = full_event();
  bare.occurred_at.reset();
  bare.resource.kind = "event";
  bare.resource_kind_given = false;
  bare.receive_action = "read";
  bare.receive_action_given = false;
  bare.meta.correlation_id.reset();
  bare.correlation_given = false;
  bare.meta.trace_context.reset();
  const Draft repeat = draft_of(bare, 9);
  EXPECT_TRUE(same_content(repeat, stored(full_event())));
  EXPECT_TRUE(same_content(repeat, stored(bare)));
}

TEST(SameContent, AnIdTheLogMadeIsNotCompared) {
  ValidEvent event = full_event();
  event.id.reset();
  EXPECT_TRUE(same_content(draft_of(event), stored(full_event())));
}

TEST(SameContent, TraceContextIsTheRequests) {
  ValidEvent event = full_event();
  event.meta.trace_context = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_TRUE(same_content(draft_of(event), stored(full_event())));
}

TEST(SameContent, ErasedPartsAreNotCompared) {
  Record record = stored(full_event());
  record.redacted_at = noon;
  record.payload.reset();
  ValidEvent event = full_event();
  event.payload = "{}";
  EXPECT_TRUE(same_content(draft_of(event), record));
  event.meta.labels.clear();
  EXPECT_FALSE(same_content(draft_of(event), record));
  record.meta.reset();
  EXPECT_TRUE(same_content(draft_of(event), record));
  event.type = "order.shipped";
  EXPECT_FALSE(same_content(draft_of(event), record));
}

TEST(SameContent, AnEmptyMetaIsNotAnErasedOne) {
  ValidEvent bare = full_event();
  bare.meta = {};
  bare.correlation_given = false;
  const Record record = stored(bare);
  EXPECT_FALSE(record.meta);
  bare.meta.labels = {{"status", "success"}};
  EXPECT_FALSE(same_content(draft_of(bare), record));
}

TEST(SameContent, DamagedMetaIsNotTheSame) {
  Record record = stored(full_event());
  record.meta->bytes += ' ';
  EXPECT_FALSE(same_content(draft_of(full_event()), record));
}

}  // namespace
}  // namespace annals::core
