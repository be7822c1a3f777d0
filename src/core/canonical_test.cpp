#include "core/canonical.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

namespace annals::core {
namespace {

std::string json_string(std::string_view text) {
  std::string out = "x";
  append_json_string(out, text);
  return out.substr(1);
}

TEST(CanonicalString, EscapesOnlyWhatItMust) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string("a/b <&> '"), R"("a/b <&> '")");
  EXPECT_EQ(json_string("\"\\"), R"("\"\\")");
  EXPECT_EQ(json_string("\b\t\n\f\r"), R"("\b\t\n\f\r")");
  EXPECT_EQ(json_string(std::string("\0\x01\x0b\x1f", 4)), R"("\u0000\u0001\u000b\u001f")");
  EXPECT_EQ(json_string("\x7f\xc3\xa9\xf0\x9f\x98\x80"), "\"\x7f\xc3\xa9\xf0\x9f\x98\x80\"");
}

Header small_header() {
  Header header;
  header.seq = 1;
  header.id.bytes[15] = 1;
  header.type = "a.b";
  header.resource.kind = "event";
  header.receive_action = "read";
  return header;
}

TEST(HeaderBytes, AlwaysWritesTheseMembers) {
  const std::string zero_id = "00000000-0000-0000-0000-000000000000";
  EXPECT_EQ(header_bytes(small_header()),
            R"({"id":"00000000-0000-0000-0000-000000000001","key_id":")" + zero_id +
                R"(","log":")" + zero_id + R"(","occurred_at":"1970-01-01T00:00:00.000000Z",)" +
                R"("payload":")" + std::string(64, '0') +
                R"(","permission_version":0,"receive_action":"read",)" +
                R"("recorded_at":"1970-01-01T00:00:00.000000Z","resource":{"kind":"event"},)" +
                R"("schema_version":1,"seq":1,"type":"a.b","v":1})");
}

TEST(HeaderBytes, AppendsBehindWhatIsThere) {
  std::string out = "prefix";
  append_header_bytes(out, small_header());
  EXPECT_EQ(out, "prefix" + header_bytes(small_header()));
}

TEST(HeaderBytes, EveryMemberChangesThem) {
  const std::string base = header_bytes(small_header());
  std::set<std::string> seen{base};
  const auto change = [&](auto&& edit) {
    Header header = small_header();
    edit(header);
    EXPECT_TRUE(seen.insert(header_bytes(header)).second) << header_bytes(header);
  };
  change([](Header& h) { h.log_id.bytes[0] = 1; });
  change([](Header& h) { h.seq = 2; });
  change([](Header& h) { h.id.bytes[0] = 1; });
  change([](Header& h) { h.type = "a.c"; });
  change([](Header& h) { h.schema_version = 2; });
  change([](Header& h) { h.source = "x"; });
  change([](Header& h) { h.occurred_at += std::chrono::microseconds{1}; });
  change([](Header& h) { h.recorded_at += std::chrono::microseconds{1}; });
  change([](Header& h) { h.stream = "x"; });
  change([](Header& h) { h.stream_seq = 1; });
  change([](Header& h) { h.scope.space_id = "x"; });
  change([](Header& h) { h.scope.channel_id = "x"; });
  change([](Header& h) { h.scope.thread_id = "x"; });
  change([](Header& h) { h.resource.kind = "x"; });
  change([](Header& h) { h.resource.id = "x"; });
  change([](Header& h) { h.resource.version = 0; });
  change([](Header& h) { h.receive_action = "x"; });
  change([](Header& h) { h.permission_version = 1; });
  change([](Header& h) { h.key_id.bytes[0] = 1; });
  change([](Header& h) { h.is_private = true; });
  change([](Header& h) { h.truncated = true; });
  change([](Header& h) { h.payload_digest[0] = 1; });
  change([](Header& h) { h.meta_digest = Digest{}; });
}

TEST(MetaBytes, EmptyMetaHasNone) {
  EXPECT_EQ(meta_bytes(Meta{}), "");
}

TEST(MetaBytes, ActorOfTheSystemIsNotEmpty) {
  Meta meta;
  meta.actor = Actor{};
  EXPECT_EQ(meta_bytes(meta), R"({"actor":{"kind":"system"}})");
  EXPECT_EQ(parse_meta(meta_bytes(meta)), meta);
}

TEST(ParseMeta, RefusesEverythingElse) {
  for (const char* text : {"",
                           "{}",
                           "[]",
                           "null",
                           R"({"actor":{}})",
                           R"({"actor":{"id":"x"}})",
                           R"({"actor":{"kind":"robot"}})",
                           R"({"actor":{"kind":"user","id":"u"}})",
                           R"({"actor":{"kind":"system","x":"y"}})",
                           R"({"actor":"user"})",
                           R"({"labels":{}})",
                           R"({"labels":{"b":"1","a":"2"}})",
                           R"({"labels":{"a":1}})",
                           R"({"labels":["a"]})",
                           R"({"audience":1})",
                           R"({"audience":null})",
                           R"({"audience":"a"} )",
                           R"({ "audience":"a"})",
                           R"({"audience":"\u0061"})",
                           R"({"audience":"a\/b"})",
                           R"({"audience":"\u001F"})",
                           R"({"audience":"\u000a"})",
                           R"({"audience":"a"}x)",
                           R"({"client_msg_id":"m","audience":"a"})",
                           R"({"audience":"a","audience":"a"})",
                           R"({"Audience":"a"})",
                           R"({"stream":"a"})",
                           R"({"causation_id":"x"})",
                           R"({"correlation_id":"4BF92F35-77b3-4da6-a3ce-929d0e0e4736"})",
                           R"({"trace_context":true})",
                           R"({"audience":"a")",
                           "{\"audience\":\"\xff\"}"}) {
    const auto meta = parse_meta(text);
    ASSERT_FALSE(meta.has_value()) << text;
    EXPECT_EQ(meta.error().code, ErrorCode::store_corrupt);
  }
}

}  // namespace
}  // namespace annals::core
