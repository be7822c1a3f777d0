// Record version 1 is frozen: every byte of the four golden events, and every hash over them.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "annals/record.hpp"
#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "core/json.hpp"
#include "core/text_forms.hpp"

namespace annals::core {
namespace {

struct GoldenEvent {
  Record record;  ///< Built from members, not from the golden bytes.
  Meta meta;
  std::string header_bytes;
  std::string meta_bytes;
  std::string payload_bytes;
  std::string row_hash;
  std::string log_hash_after;
};

Salt salt_from(std::string_view hex) {
  Salt salt{};
  EXPECT_TRUE(parse_hex(hex, salt)) << hex;
  return salt;
}

std::vector<GoldenEvent> read_golden() {
  const std::string root = std::getenv("ANNALS_SOURCE_DIR");
  simdjson::dom::parser parser;
  const simdjson::dom::element document = parser.load(root + "/src/core/testdata/record-v1.json");
  std::vector<GoldenEvent> events;
  for (const simdjson::dom::element item : simdjson::dom::array(document["events"])) {
    const auto text = [&](const char* name) {
      std::string_view value;
      return item[name].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
    };
    GoldenEvent& event = events.emplace_back();
    event.header_bytes = text("header");
    event.meta_bytes = text("meta");
    event.payload_bytes = text("payload");
    event.row_hash = text("row_hash");
    event.log_hash_after = text("log_hash_after");
    event.record.payload = Part{event.payload_bytes, salt_from(text("payload_salt"))};
    if (!event.meta_bytes.empty()) {
      event.record.meta = Part{event.meta_bytes, salt_from(text("meta_salt"))};
    }
    if (!text("prev_hash").empty()) event.record.prev_hash = parse_digest(text("prev_hash"));
  }
  return events;
}

/// What the golden events have in common.
Header base_header(std::uint64_t seq, const char* id) {
  Header header;
  header.log_id = *parse_uuid("0192f5a0-0000-7000-8000-000000000001");
  header.seq = seq;
  header.id = *parse_uuid(id);
  header.type = "order.paid";
  header.occurred_at = *parse_timestamp("2026-11-30T08:00:00Z");
  header.recorded_at = *parse_timestamp("2026-11-30T08:00:00.000123Z");
  header.resource.kind = "event";
  header.receive_action = "read";
  header.key_id = *parse_uuid("0192f5a0-0000-4000-8000-0000000000aa");
  return header;
}

/// The fourth event has every member, each with an edge value.
void fill_full_event(GoldenEvent& event) {
  Header header = base_header(max_seq, "0192f5a0-0000-7000-8000-00000000000d");
  header.type = "log.example_9.z";
  header.schema_version = 2147483647;
  header.source = "web\xc3\xbc";
  header.occurred_at = *parse_timestamp("0001-01-01T00:00:00.000001Z");
  header.recorded_at = *parse_timestamp("9999-12-31T23:59:59.999999Z");
  header.stream = "order-1";
  header.stream_seq = 3;
  header.scope = {"s", "c", "t"};
  header.resource = {"order", "o/1", 7};
  header.receive_action = "admin";
  header.permission_version = 42;
  header.is_private = true;
  header.truncated = true;
  event.record.header = header;

  event.meta.actor = Actor{ActorKind::system, std::nullopt};
  event.meta.audience = "group/\xe6\x97\xa5\xe6\x9c\xac";
  event.meta.labels = {{"a", ""}, {"z9_", "\t\b\f\r\n\x1f\xf0\x9f\x98\x80"}};
  event.meta.client_msg_id = "m \x01\x7f\\ /";
  event.meta.correlation_id = parse_uuid("4bf92f35-77b3-4da6-a3ce-929d0e0e4736");
  event.meta.causation_id = parse_uuid("0192f5a0-0000-7000-8000-00000000000a");
  event.meta.trace_context = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
}

std::vector<GoldenEvent> golden_events() {
  std::vector<GoldenEvent> events = read_golden();
  if (events.size() != 4) return {};

  const Meta shared{.actor = Actor{ActorKind::user, "u-1"},
                    .labels = {{"status", "success"}, {"b", "line\nbreak \"q\" \xc3\xa9"}}};
  Header first = base_header(1, "0192f5a0-0000-7000-8000-00000000000a");
  first.stream = "order-1";
  first.stream_seq = 1;
  events[0].record.header = first;
  events[0].meta = shared;

  Header second = base_header(2, "0192f5a0-0000-7000-8000-00000000000b");
  second.source = "rest";
  second.stream = "order-1";
  second.stream_seq = 2;
  second.scope.channel_id = "c-1";
  second.is_private = true;
  events[1].record.header = second;
  events[1].meta = shared;
  events[1].meta.audience = "user/7";

  events[2].record.header = base_header(3, "0192f5a0-0000-7000-8000-00000000000c");
  events[2].record.header.truncated = true;

  fill_full_event(events[3]);

  for (GoldenEvent& event : events) {
    Record& record = event.record;
    record.header.payload_digest = part_digest(record.payload->salt, record.payload->bytes);
    if (record.meta) {
      record.header.meta_digest = part_digest(record.meta->salt, meta_bytes(event.meta));
    }
  }
  return events;
}

TEST(GoldenRecord, HeaderBytes) {
  const auto events = golden_events();
  ASSERT_EQ(events.size(), 4U);
  for (const auto& event : events) {
    EXPECT_EQ(header_bytes(event.record.header), event.header_bytes);
  }
}

TEST(GoldenRecord, MetaBytesBothWays) {
  for (const auto& event : golden_events()) {
    EXPECT_EQ(meta_bytes(event.meta), event.meta_bytes);
    const auto meta = meta_of(event.record);
    ASSERT_TRUE(meta.has_value()) << event.meta_bytes;
    EXPECT_EQ(*meta, event.meta);
  }
}

TEST(GoldenRecord, PayloadIsAlreadyCompact) {
  for (const auto& event : golden_events()) {
    const auto compact = json::compact_payload(event.payload_bytes, NullPolicy::refuse);
    ASSERT_TRUE(compact.has_value());
    EXPECT_EQ(*compact, event.payload_bytes);
  }
}

TEST(GoldenRecord, RowHashAndLogHash) {
  Digest log_hash{};
  std::size_t seen = 0;
  for (const auto& event : golden_events()) {
    const Digest hash = row_hash(event.record.prev_hash, header_bytes(event.record.header));
    EXPECT_EQ(to_hex(hash), event.row_hash);
    log_hash = next_log_hash(log_hash, hash);
    EXPECT_EQ(to_hex(log_hash), event.log_hash_after);
    ++seen;
  }
  EXPECT_EQ(seen, 4U);
}

}  // namespace
}  // namespace annals::core
