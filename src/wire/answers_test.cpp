#include "wire/answers.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace annals::wire {
namespace {

const std::string zeros(62, '0');

AppendResult result() {
  AppendResult result;
  result.events.push_back({.seq = 7,
                           .id = *parse_uuid("0190a000-0000-7000-8000-000000000001"),
                           .stream_seq = 3,
                           .hash = Digest{0xAB}});
  result.receipt = {7, Digest{0xCD}};
  return result;
}

const std::string members = R"("seq":7,"id":"0190a000-0000-7000-8000-000000000001","stream_seq":3,)"
                            R"("hash":"ab)" +
                            zeros + '"';
const std::string receipt = R"("head":7,"log_hash":"cd)" + zeros + '"';

TEST(AppendAnswer, OfOneEvent) {
  EXPECT_EQ(append_answer(result()), "{" + members + "," + receipt + "}");
}

TEST(AppendAnswer, OfARepeat) {
  AppendResult repeat = result();
  repeat.duplicate = true;
  repeat.events.front().duplicate = true;
  repeat.events.front().redacted = true;
  repeat.events.front().client_msg_id = "m";
  EXPECT_EQ(
      append_answer(repeat),
      "{" + members + R"(,"client_msg_id":"m","duplicate":true,"redacted":true,)" + receipt + "}");
  EXPECT_EQ(batch_answer(repeat),
            R"({"events":[{)" + members +
                R"(,"client_msg_id":"m","duplicate":true,"redacted":true}],)" + receipt +
                R"(,"duplicate":true})");
}

TEST(AppendAnswer, WarningsStandWithTheirEvent) {
  AppendResult warned = result();
  warned.events.front().warnings = {{"/stream", "personal_data", "looks like"}};
  EXPECT_EQ(append_answer(warned),
            "{" + members +
                R"(,"warnings":[{"pointer":"/stream","rule":"personal_data",)"
                R"("message":"looks like"}],)" +
                receipt + "}");
}

TEST(AppendAnswer, OfAQueuedEventHasNoPlace) {
  AppendResult queued = result();
  queued.durable = false;
  queued.events.front().stream_seq.reset();
  EXPECT_EQ(append_answer(queued),
            R"({"id":"0190a000-0000-7000-8000-000000000001","durable":false})");
}

TEST(LineAnswer, IsAResultOrAProblem) {
  EXPECT_EQ(line_answer(4, result()), R"({"line":4,)" + members + "," + receipt + "}\n");
  const auto parsed =
      nlohmann::json::parse(line_answer(5, fail(ErrorCode::invalid_event, "one rule is broken")));
  EXPECT_EQ(parsed["line"], 5);
  EXPECT_EQ(parsed["code"], "invalid_event");
  EXPECT_EQ(parsed["status"], 400);
}

TEST(LogAnswer, HasLimitsAndVersions) {
  LogInfo info;
  info.state.log_id = *parse_uuid("0190a000-0000-7000-8000-000000000001");
  info.state.event_seq = 9;
  info.page_max = 1000;
  info.store = "sqlite";
  info.store_version = "3.40.1";
  info.schema_version = 1;
  info.durability = "full";
  info.version = "0.1.0";
  const auto parsed = nlohmann::json::parse(log_answer(info));
  EXPECT_EQ(parsed["head"], 9);
  EXPECT_EQ(parsed["oldest"], 1);
  EXPECT_EQ(parsed["incarnation"], 1);
  EXPECT_EQ(parsed["durability"], "full");
  EXPECT_EQ(parsed["limits"]["payload_max_bytes"], 57344);
  EXPECT_EQ(parsed["limits"]["request_max_events"], 10000);
  EXPECT_EQ(parsed["versions"]["annals"], "0.1.0");
  EXPECT_FALSE(parsed.contains("open_mode"));
  info.open_mode = true;
  EXPECT_EQ(nlohmann::json::parse(log_answer(info))["open_mode"], true);
}

TEST(PageAnswer, OfNothing) {
  const auto body = page_answer({}, Rendering::reader,
                                {.next_after = 5,
                                 .head = 5,
                                 .oldest = 2,
                                 .log_id = *parse_uuid("0190a000-0000-7000-8000-000000000001"),
                                 .caught_up = true});
  EXPECT_EQ(*body, R"({"events":[],"next_after":5,"head":5,"oldest":2,)"
                   R"("log_id":"0190a000-0000-7000-8000-000000000001","caught_up":true})");
}

TEST(StreamsAnswer, NamesTheNextPage) {
  const StreamHead heads[] = {{"a", 1, Digest{0xAB}}, {"b", 2, Digest{0xCD}}};
  EXPECT_EQ(streams_answer(heads, true), R"({"streams":[{"stream":"a","version":1,"hash":"ab)" +
                                             zeros + R"("},{"stream":"b","version":2,"hash":"cd)" +
                                             zeros + R"("}]})");
  EXPECT_EQ(nlohmann::json::parse(streams_answer(heads, false))["next_after"], "b");
}

}  // namespace
}  // namespace annals::wire
