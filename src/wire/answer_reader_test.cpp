#include "wire/answer_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/answers.hpp"

namespace annals::wire {
namespace {

const Uuid id = *parse_uuid("0190a000-0000-7000-8000-000000000001");

AppendResult one() {
  AppendResult result;
  result.events.push_back({.seq = 7,
                           .id = id,
                           .stream_seq = 3,
                           .hash = Digest{0xAB},
                           .client_msg_id = "m",
                           .warnings = {{"/stream", "personal_data", "looks like"}}});
  result.receipt = {7, Digest{0xCD}};
  return result;
}

AppendResult repeated() {
  AppendResult result = one();
  result.duplicate = true;
  result.events.front().duplicate = true;
  result.events.front().redacted = true;
  return result;
}

AppendResult queued() {
  AppendResult result;
  result.durable = false;
  result.events.push_back({.id = id});
  return result;
}

AppendResult two() {
  AppendResult result = one();
  result.events.push_back({.seq = 8, .id = id, .duplicate = true});
  result.receipt.head = 8;
  return result;
}

Record record(std::uint64_t seq, std::string payload) {
  Record record;
  record.header.seq = seq;
  record.header.id = id;
  record.header.type = "a.b";
  record.header.resource.kind = "event";
  record.payload = Part{std::move(payload), {}};
  return record;
}

TEST(AnswerReader, AppendsAreReadBack) {
  for (const AppendResult& result : {one(), repeated(), queued()}) {
    EXPECT_EQ(read_append_answer(append_answer(result)), result);
    EXPECT_EQ(read_batch_answer(batch_answer(result)), result);
  }
  EXPECT_EQ(read_batch_answer(batch_answer(two())), two());
}

TEST(AnswerReader, LinesAreResultsOrProblems) {
  const auto good = read_line_answer(line_answer(3, one()));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->line, 3U);
  EXPECT_EQ(good->result, one());
  const Error error{
      ErrorCode::invalid_event, "no", InvalidEvent{{{0, "/type", "pattern", "x"}}}, {}};
  const auto bad = read_line_answer(line_answer(4, std::unexpected(error)));
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->line, 4U);
  EXPECT_EQ(bad->result, Result<AppendResult>(std::unexpected(error)));
}

TEST(AnswerReader, APageIsReadBack) {
  const std::string deep = R"({"a":)" + std::string(63, '[') + std::string(63, ']') + "}";
  const std::vector<Record> records{record(4, R"({"n":1.0})"), record(6, deep)};
  const PageEnd end{
      .next_after = 6, .next_before = 4, .head = 9, .oldest = 2, .log_id = id, .caught_up = true};
  const auto read = read_page_answer(*page_answer(records, Rendering::reader, end));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->events.size(), 2U);
  EXPECT_EQ(read->events[0].payload, R"({"n":1.0})");
  std::string envelope;
  ASSERT_TRUE(append_envelope(envelope, records[1], Rendering::reader));
  EXPECT_EQ(read->events[1].json, envelope);
  EXPECT_EQ(read->next_after, 6U);
  EXPECT_EQ(read->next_before, 4U);
  EXPECT_EQ(read->head, 9U);
  EXPECT_EQ(read->oldest, 2U);
  EXPECT_EQ(read->log_id, id);
  EXPECT_TRUE(read->caught_up);
}

TEST(AnswerReader, StreamsAreReadBack) {
  const std::vector<StreamHead> heads{{"a", 1, Digest{1}}, {"b", 2, Digest{2}}};
  EXPECT_EQ(read_stream_answer(stream_answer(heads[1])), heads[1]);
  const auto more = read_streams_answer(streams_answer(heads, false));
  ASSERT_TRUE(more);
  EXPECT_EQ(more->streams, heads);
  EXPECT_EQ(more->next_after, "b");
  const auto none = read_streams_answer(streams_answer({}, true));
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->streams.empty());
  EXPECT_FALSE(none->next_after);

  const std::vector<Record> records{record(4, "{}")};
  const PageEnd end{.next_after = 3, .next_before = 2, .head = 5};
  const auto page =
      read_stream_page_answer(*stream_page_answer("a", records, Rendering::reader, end));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->events.size(), 1U);
  EXPECT_EQ(page->version, 5U);
  EXPECT_EQ(page->next_after, 3U);
  EXPECT_EQ(page->next_before, 2U);
}

TEST(AnswerReader, TheLogIsReadBack) {
  LogInfo info;
  info.state.log_id = id;
  info.state.incarnation = 2;
  info.state.event_seq = 9;
  info.state.log_hash = Digest{0xEF};
  info.state.oldest = 3;
  info.state.permission_version = 4;
  info.state.frozen = true;
  info.open_mode = true;
  info.store = "sqlite";
  info.durability = "full";
  info.version = "1.2.3";
  info.page_max = 1000;
  const auto read = read_log_answer(log_answer(info));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->log_id, id);
  EXPECT_EQ(read->incarnation, 2U);
  EXPECT_EQ(read->head, 9U);
  EXPECT_EQ(read->log_hash, (Digest{0xEF}));
  EXPECT_EQ(read->oldest, 3U);
  EXPECT_EQ(read->permission_version, 4U);
  EXPECT_TRUE(read->frozen);
  EXPECT_TRUE(read->open_mode);
  EXPECT_EQ(read->store, "sqlite");
  EXPECT_EQ(read->durability, "full");
  EXPECT_EQ(read->version, "1.2.3");
  EXPECT_EQ(read->request_max_bytes, info.append.request_max_bytes);
  EXPECT_EQ(read->request_max_events, info.append.request_max_events);
  EXPECT_EQ(read->page_max_events, 1000U);
}

TEST(AnswerReader, AVerificationIsReadBack) {
  VerifyReport report;
  report.events = report.chained = 3;
  report.verified = 2;
  report.streams = 1;
  report.head = 9;
  report.log_hash = Digest{7};
  EXPECT_EQ(verify_answer(*read_verify_answer(verify_answer(report))), verify_answer(report));
  report.finding_count = 2;
  report.findings = {{"tampered", "header", "s", 2, "aa", "bb"},
                     {"could_not_verify", "x", "", 0, "", ""}};
  EXPECT_EQ(verify_answer(*read_verify_answer(verify_answer(report))), verify_answer(report));
}

TEST(AnswerReader, AReportThatContradictsItselfIsNone) {
  EXPECT_FALSE(read_verify_answer(R"({"finding_count":0})"));
  EXPECT_FALSE(read_verify_answer(R"({"verdict":"findings","finding_count":0})"));
  EXPECT_FALSE(read_verify_answer(R"({"verdict":"clean","finding_count":1})"));
}

TEST(AnswerReader, OtherTextsAreNone) {
  for (const std::string json : {"", "{}", "[]", "<html>", R"({"events":[],"head":1})",
                                 R"({"events":[{}],"log_id":"x"})", R"({"seq":1})"}) {
    EXPECT_FALSE(read_append_answer(json)) << json;
    EXPECT_FALSE(read_batch_answer(json)) << json;
    EXPECT_FALSE(read_line_answer(json)) << json;
    EXPECT_FALSE(read_page_answer(json)) << json;
    EXPECT_FALSE(read_stream_page_answer(json)) << json;
    EXPECT_FALSE(read_stream_answer(json)) << json;
    EXPECT_FALSE(read_streams_answer(json)) << json;
    EXPECT_FALSE(read_log_answer(json)) << json;
    EXPECT_FALSE(read_verify_answer(json)) << json;
  }
}

}  // namespace
}  // namespace annals::wire
