#include "wire/envelope_reader.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "wire/envelope.hpp"
#include "wire/minimal_record_test.hpp"

namespace annals::wire {
namespace {

std::string envelope(const Record& record) {
  std::string out;
  EXPECT_TRUE(append_envelope(out, record, Rendering::privileged));
  return out;
}

TEST(EnvelopeReader, ReadsTheLeastEvent) {
  const auto record = minimal();
  const auto read = read_envelope(envelope(record));
  ASSERT_TRUE(read);
  Envelope expected;
  expected.seq = 7;
  expected.id = uuid(2);
  expected.type = "a.b";
  expected.occurred_at = record.header.occurred_at;
  expected.recorded_at = record.header.recorded_at;
  expected.resource.kind = "event";
  expected.json = envelope(record);
  EXPECT_EQ(*read, expected);
}

TEST(EnvelopeReader, ReadsEveryMember) {
  Record record = minimal();
  record.header.schema_version = 3;
  record.header.permission_version = 4;
  record.header.source = "shop \"1\"";
  record.header.stream = "order/1";
  record.header.stream_seq = 2;
  record.prev_hash = Digest{0xAB};
  record.row_hash = Digest{0xCD};
  record.header.scope = {"s", "c", "t"};
  record.header.resource = {"order", "1", 3};
  record.header.is_private = true;
  record.header.truncated = true;
  record.redacted_at = record.header.recorded_at;
  record.payload->bytes = R"({"n":1.0,"big":9007199254740993})";
  const Meta meta{.actor = Actor{ActorKind::user, "42"},
                  .audience = "user/42",
                  .labels = {{"a", "1"}, {"b", ""}},
                  .client_msg_id = "m",
                  .correlation_id = uuid(3),
                  .causation_id = uuid(4),
                  .trace_context = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
  record.meta = Part{core::meta_bytes(meta), {}};

  const auto read = read_envelope(envelope(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->schema_version, 3U);
  EXPECT_EQ(read->permission_version, 4U);
  EXPECT_EQ(read->source, record.header.source);
  EXPECT_EQ(read->stream, (StreamPlace{"order/1", 2, record.prev_hash, record.row_hash}));
  EXPECT_EQ(read->scope, record.header.scope);
  EXPECT_EQ(read->resource, record.header.resource);
  EXPECT_EQ(read->actor, meta.actor);
  EXPECT_EQ(read->labels, meta.labels);
  EXPECT_EQ(read->client_msg_id, meta.client_msg_id);
  EXPECT_EQ(read->correlation_id, meta.correlation_id);
  EXPECT_EQ(read->causation_id, meta.causation_id);
  EXPECT_EQ(read->trace_context, meta.trace_context);
  EXPECT_TRUE(read->is_private);
  EXPECT_TRUE(read->truncated);
  EXPECT_TRUE(read->redacted);
  EXPECT_EQ(read->payload, record.payload->bytes);
}

TEST(EnvelopeReader, APayloadMayBeAsDeepAsAnyMayBe) {
  Record record = minimal();
  record.payload->bytes = R"({"a":)" + std::string(63, '[') + std::string(63, ']') + "}";
  const auto read = read_envelope(envelope(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->payload, record.payload->bytes);
}

TEST(EnvelopeReader, PassesOverWhatANewerServerAdds) {
  std::string json = envelope(minimal());
  json.insert(1, R"("colour":{"r":[1,2]},)");
  const auto read = read_envelope(json);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->seq, 7U);
  EXPECT_EQ(read->json, json);
}

TEST(EnvelopeReader, WhatIsNoEnvelopeIsNotTakenForOne) {
  const std::string good = envelope(minimal());
  for (const std::string& json :
       {std::string{}, std::string{"{}"}, std::string{"[]"}, std::string{"null"},
        good.substr(0, good.size() - 1), good + good, "{\"seq\":\"7\"," + good.substr(9),
        "{\"seq\":-7," + good.substr(9), "{" + good.substr(9)}) {
    EXPECT_FALSE(read_envelope(json)) << json;
  }
}

}  // namespace
}  // namespace annals::wire
