#include "wire/envelope.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "testing/seed.hpp"
#include "wire/minimal_record_test.hpp"
#include "wire/random_records_test.hpp"

namespace annals::wire {
namespace {

using nlohmann::json;

std::string envelope(const Record& record, Rendering rendering = Rendering::reader) {
  std::string out;
  const auto appended = append_envelope(out, record, rendering);
  EXPECT_TRUE(appended);
  return out;
}

TEST(Envelope, OfTheLeastEventHasNothingElse) {
  EXPECT_EQ(envelope(minimal()),
            R"({"seq":7,"id":"01000000-0000-0000-0000-000000000002","type":"a.b",)"
            R"("schema_version":1,"occurred_at":"2026-01-02T03:04:05.000006Z",)"
            R"("recorded_at":"2026-01-02T03:04:06.000000Z","permission_version":0,"scope":{},)"
            R"("resource":{"kind":"event"},"payload":{}})");
}

TEST(Envelope, HasEveryMember) {
  Record record = minimal();
  record.header.source = "shop";
  record.header.stream = "order/1";
  record.header.stream_seq = 2;
  record.prev_hash = Digest{0xAB};
  record.row_hash = Digest{0xCD};
  record.header.scope = {"s", "c", "t"};
  record.header.resource = {"order", "1", 3};
  record.header.is_private = true;
  record.header.truncated = true;
  record.payload->bytes = R"({"n":1.0,"big":9007199254740993})";
  set_meta(record,
           Meta{.actor = Actor{ActorKind::user, "42"},
                .audience = "user/42",
                .labels = {{"a", "1"}},
                .client_msg_id = "m",
                .correlation_id = uuid(3),
                .causation_id = uuid(4),
                .trace_context = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"});
  const std::string rest =
      R"("source":"shop","stream":{"name":"order/1","seq":2,"prev_hash":"ab)" +
      std::string(62, '0') + R"(","hash":"cd)" + std::string(62, '0') +
      R"("},"scope":{"space_id":"s","channel_id":"c","thread_id":"t"},)"
      R"("resource":{"kind":"order","id":"1","version":3},"actor":{"kind":"user","id":"42"},)"
      R"("labels":{"a":"1"},"client_msg_id":"m",)"
      R"("correlation_id":"01000000-0000-0000-0000-000000000003",)"
      R"("causation_id":"01000000-0000-0000-0000-000000000004",)";
  const std::string end =
      R"("audience":"self","truncated":true,"payload":{"n":1.0,"big":9007199254740993}})";
  const std::string trace =
      R"("trace_context":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",)";
  const std::string for_readers = envelope(record);
  EXPECT_EQ(for_readers.substr(for_readers.find("\"source\"")), rest + end);
  const std::string for_admins = envelope(record, Rendering::privileged);
  EXPECT_EQ(for_admins.substr(for_admins.find("\"source\"")), rest + trace + end);
  EXPECT_FALSE(same_for_all(record));
}

TEST(Envelope, LeavesOutThePreviousHashOfAFirstEvent) {
  Record record = minimal();
  record.header.stream = "s";
  record.header.stream_seq = 1;
  EXPECT_EQ(json::parse(envelope(record))["stream"],
            (json{{"name", "s"}, {"seq", 1}, {"hash", std::string(64, '0')}}));
}

TEST(Envelope, OfARedactedEventSaysSo) {
  Record record = minimal();
  record.header.is_private = true;
  set_meta(record, Meta{.actor = Actor{ActorKind::user, "42"}, .audience = "user/42"});
  record.meta.reset();
  record.payload.reset();
  record.redacted_at = record.header.recorded_at;
  const json parsed = json::parse(envelope(record));
  EXPECT_EQ(parsed["redacted"], true);
  EXPECT_EQ(parsed["payload"], json::object());
  EXPECT_EQ(parsed["audience"], "self");
  EXPECT_FALSE(parsed.contains("actor"));
}

TEST(Envelope, FailsOnAMetaPartThatNobodyWrote) {
  Record record = minimal();
  record.meta = Part{R"({"x":1})", {}};
  std::string out = "before";
  const auto appended = append_envelope(out, record, Rendering::reader);
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, ErrorCode::store_corrupt);
  EXPECT_EQ(out, "before");
}

/// True when the token null stands outside of texts: no other token has an n.
bool has_null(std::string_view text) {
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (in_string && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      in_string = !in_string;
    } else if (!in_string && text[at] == 'n') {
      return true;
    }
  }
  return false;
}

TEST(Envelope, IsNeverNullAndStaysWithinItsBound) {
  for (const auto& [record, bound] : random_records(test::seed(), 500)) {
    for (const Rendering rendering : {Rendering::reader, Rendering::privileged}) {
      const std::string text = envelope(record, rendering);
      EXPECT_FALSE(has_null(text)) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos);
      EXPECT_TRUE(text.ends_with("\"payload\":" + record.payload->bytes + "}"));
      EXPECT_LE(text.size() - record.payload->bytes.size(), bound);
    }
    if (same_for_all(record)) {
      EXPECT_EQ(envelope(record), envelope(record, Rendering::privileged));
    }
  }
}

}  // namespace
}  // namespace annals::wire
