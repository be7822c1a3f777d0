#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_test_case.hpp"

namespace annals::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CliAppend : public CliTestCase {};

TEST_F(CliAppend, AnEventFromOptionsKeepsEveryMember) {
  const auto out = out_of({"append",
                           "--type",
                           "order.placed",
                           "--stream",
                           "order-1",
                           "--payload",
                           R"({ "b":1.0, "a" : "x" })",
                           "--label",
                           "status=new",
                           "--label",
                           "kind=a=b",
                           "--actor",
                           "user/42",
                           "--source",
                           "shop",
                           "--resource",
                           "order/7",
                           "--space",
                           "s",
                           "--channel",
                           "c",
                           "--thread",
                           "t",
                           "--client-msg-id",
                           "m-1",
                           "--correlation-id",
                           "00000000-0000-0000-0000-000000000001",
                           "--causation-id",
                           "00000000-0000-0000-0000-000000000002",
                           "--occurred-at",
                           "2026-01-31T12:00:00+01:00",
                           "--schema-version",
                           "3",
                           "--id",
                           "00000000-0000-0000-0000-000000000003",
                           "--truncated"});
  EXPECT_EQ(out, "1\n");
  const auto events = json_of({"read"});
  ASSERT_EQ(events.size(), 1U);
  const auto& event = events.front();
  EXPECT_EQ(event["type"], "order.placed");
  EXPECT_EQ(event["stream"]["name"], "order-1");
  EXPECT_EQ(event["labels"], (nlohmann::json{{"status", "new"}, {"kind", "a=b"}}));
  EXPECT_EQ(event["actor"], (nlohmann::json{{"kind", "user"}, {"id", "42"}}));
  EXPECT_EQ(event["source"], "shop");
  EXPECT_EQ(event["resource"], (nlohmann::json{{"kind", "order"}, {"id", "7"}}));
  EXPECT_EQ(event["scope"],
            (nlohmann::json{{"space_id", "s"}, {"channel_id", "c"}, {"thread_id", "t"}}));
  EXPECT_EQ(event["client_msg_id"], "m-1");
  EXPECT_EQ(event["correlation_id"], "00000000-0000-0000-0000-000000000001");
  EXPECT_EQ(event["causation_id"], "00000000-0000-0000-0000-000000000002");
  EXPECT_EQ(event["occurred_at"], "2026-01-31T11:00:00.000000Z");
  EXPECT_EQ(event["schema_version"], 3);
  EXPECT_EQ(event["id"], "00000000-0000-0000-0000-000000000003");
  EXPECT_EQ(event["truncated"], true);
  EXPECT_EQ(out_of({"show", "1", "--form", "payload"}), R"({"b":1.0,"a":"x"})");
}

TEST_F(CliAppend, ThePayloadComesFromAFileOrStandardInput) {
  write("payload.json", R"({"from":"file"})");
  out_of({"append", "--type", "a.b", "--payload", "@payload.json"});
  out_of({"append", "--type", "a.b", "--payload", "-"}, R"({"from":"input"})");
  EXPECT_EQ(out_of({"show", "1", "--form", "payload"}), R"({"from":"file"})");
  EXPECT_EQ(out_of({"show", "2", "--form", "payload"}), R"({"from":"input"})");
}

TEST_F(CliAppend, JsonAnswersWithReceipt) {
  const auto answers = json_of({"append", "--type", "a.b", "--stream", "s", "--json"});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["seq"], 1);
  EXPECT_EQ(answers[0]["stream_seq"], 1);
  EXPECT_EQ(answers[0]["head"], 1);
  EXPECT_EQ(answers[0]["log_hash"].get<std::string>().size(), 64U);
}

TEST_F(CliAppend, AnArrayIsAllOrNothing) {
  write("good.json", "[\n {\"type\":\"a.b\"},\n {\"type\":\"c.d\"}\n]\n");
  EXPECT_EQ(out_of({"append", "good.json"}), "1\n2\n");
  const auto refused = annals({"append"}, R"([{"type":"a.b"},{"type":"BAD","strem":1}])");
  EXPECT_EQ(code_of(refused), 1);
  EXPECT_THAT(refused.out, IsEmpty());
  EXPECT_EQ(json_of({"read"}).size(), 2U);
}

TEST_F(CliAppend, OneDocumentMayBeSpreadOverLines) {
  EXPECT_EQ(out_of({"append"}, "\n{\n  \"type\": \"a.b\",\n  \"payload\": {\"x\": 1}\n}\n"), "1\n");
  EXPECT_EQ(out_of({"show", "1", "--form", "payload"}), R"({"x":1})");
}

TEST_F(CliAppend, EveryViolationIsReadable) {
  const auto refused =
      annals({"append"},
             R"([{"type":"a.b"},{"type":"BAD","strem":1},{"type":"a.b","payload":{"a":[null]}}])");
  EXPECT_EQ(code_of(refused), 1);
  EXPECT_THAT(lines_of(refused.err),
              ElementsAre(AllOf(HasSubstr("error: "), HasSubstr("(invalid_event)")),
                          AllOf(HasSubstr("event 1"), HasSubstr("/strem")),
                          AllOf(HasSubstr("event 1"), HasSubstr("/type"), HasSubstr("(pattern)")),
                          AllOf(HasSubstr("event 2"), HasSubstr("/payload/a/0"))));
  const auto json = annals({"append", "--json"}, R"([{"type":"BAD","strem":1}])");
  EXPECT_EQ(code_of(json), 1);
  const auto problem = nlohmann::json::parse(json.err);
  EXPECT_EQ(problem["code"], "invalid_event");
  EXPECT_EQ(problem["violations"].size(), 2U);
}

TEST_F(CliAppend, ViolationsNeverShowWhatWasSent) {
  const auto refused =
      annals({"append", "--type", "a.b", "--payload", R"({"password":"open sesame","x":null})"});
  EXPECT_EQ(code_of(refused), 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("/payload/x"), Not(HasSubstr("sesame"))));
}

TEST_F(CliAppend, AnEmptyStreamIsRefusedNotIgnored) {
  const auto refused = annals({"append", "--type", "a.b", "--stream", ""});
  EXPECT_EQ(code_of(refused), 1);
  EXPECT_THAT(refused.err, HasSubstr("/stream"));
}

TEST_F(CliAppend, LinesOfNdjsonStandForThemselves) {
  const auto finished =
      annals({"append"},
             "{\"type\":\"a.b\",\"payload\":{\"n\":1}}\n"
             "\n"
             "{\"type\":\"a.b\",\"strem\":1}\n"
             "{oops\n"
             "{\"type\":\"a.b\",\"stream\":\"s\",\"expected_version\":\"none\"}\r\n"
             "{\"type\":\"a.b\",\"stream\":\"s\",\"expected_version\":\"none\"}\n"
             "{\"type\":\"a.b\"}");
  EXPECT_EQ(code_of(finished), 1);
  EXPECT_EQ(finished.out, "1\n2\n3\n");
  EXPECT_THAT(finished.err, AllOf(HasSubstr("line 3: error"), HasSubstr("line 4: error"),
                                  HasSubstr("line 6: error"), HasSubstr("version_conflict")));
}

TEST_F(CliAppend, NdjsonAnswersHaveTheirLine) {
  const auto finished = annals({"append", "--json"},
                               "{\"type\":\"a.b\"}\n"
                               "{\"type\":\"BAD\"}\n"
                               "{\"type\":\"c.d\"}\n");
  EXPECT_EQ(code_of(finished), 1);
  const auto lines = lines_of(finished.out);
  ASSERT_EQ(lines.size(), 3U);
  const auto first = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(first["line"], 1);
  EXPECT_EQ(first["seq"], 1);
  const auto second = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(second["line"], 2);
  EXPECT_EQ(second["code"], "invalid_event");
  EXPECT_EQ(nlohmann::json::parse(lines[2])["seq"], 2);
}

TEST_F(CliAppend, ManyLinesAreAnsweredInOrder) {
  std::string input;
  std::string expected;
  for (int i = 1; i <= 5000; ++i) {
    input += R"({"type":"a.b","stream":"s)" + std::to_string(i % 7) + R"(","payload":{"n":)" +
             std::to_string(i) + "}}\n";
    expected += std::to_string(i) + "\n";
  }
  EXPECT_EQ(out_of({"append"}, input), expected);
  EXPECT_EQ(out_of({"show", "4321", "--form", "payload"}), R"({"n":4321})");
}

TEST_F(CliAppend, ALineIsAnsweredWhileTheInputIsStillOpen) {
  Process process(command({"append", "-"}));
  ASSERT_TRUE(process.write("{\"type\":\"a.b\"}\n"));
  EXPECT_TRUE(process.wait_for_line("1", std::chrono::seconds(20)));
  ASSERT_TRUE(process.write("{\"type\":\"a.b\"}\n"));
  EXPECT_TRUE(process.wait_for_line("2", std::chrono::seconds(20)));
  process.close_input();
  const auto status = process.wait(std::chrono::seconds(20));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 0);
}

TEST_F(CliAppend, ExpectationsHoldOrNothingIsStored) {
  out_of({"append", "--type", "a.b", "--stream", "s", "--expect", "none"});
  const auto conflict = annals({"append", "--type", "a.b", "--stream", "s", "--expect", "none"});
  EXPECT_EQ(code_of(conflict), 1);
  EXPECT_THAT(conflict.err,
              AllOf(HasSubstr("version_conflict"), HasSubstr("stream s is at version 1")));
  out_of({"append", "--type", "a.b", "--stream", "s", "--expect", "1"});
  out_of({"append", "--type", "a.b", "--stream", "s", "--expect", "exists"});
  const auto misspelt = annals({"append", "--type", "a.b", "--stream", "s", "--expect", "nothing"});
  EXPECT_EQ(code_of(misspelt), 2);
  EXPECT_EQ(json_of({"read"}).size(), 3U);
}

TEST_F(CliAppend, TheSameIdAgainIsTheFirstResult) {
  const Words words{"append", "--type", "a.b", "--id", "00000000-0000-4000-8000-000000000001"};
  EXPECT_EQ(out_of(words), "1\n");
  EXPECT_EQ(out_of(words), "1\n");
  auto other = words;
  other.insert(other.end(), {"--payload", R"({"x":1})"});
  const auto conflict = annals(other);
  EXPECT_EQ(code_of(conflict), 1);
  EXPECT_THAT(conflict.err, HasSubstr("id_conflict"));
}

TEST_F(CliAppend, TheSameIdempotencyKeyIsTheFirstAnswer) {
  const Words words{"append", "--type", "a.b", "--idempotency-key", "k"};
  EXPECT_EQ(out_of(words), "1\n");
  EXPECT_EQ(out_of(words), "1\n");
  const auto other = annals({"append", "--type", "c.d", "--idempotency-key", "k"});
  EXPECT_EQ(code_of(other), 1);
  EXPECT_THAT(other.err, HasSubstr("idempotency_mismatch"));
}

TEST_F(CliAppend, TheTraceGivesTheCorrelation) {
  out_of({"append", "--type", "a.b", "--traceparent",
          "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"});
  EXPECT_EQ(json_of({"read"}).front()["correlation_id"], "0af76519-16cd-43dd-8448-eb211c80319c");
}

TEST_F(CliAppend, LimitsAreNamed) {
  const auto large =
      annals({"append", "--set", "append.request_max_bytes=64KiB", "--format", "json"},
             "[" + std::string(70'000, ' ') + R"({"type":"a.b"}])");
  EXPECT_EQ(code_of(large), 1);
  EXPECT_THAT(large.err, AllOf(HasSubstr("too_large"), HasSubstr("request_max_bytes: 65536")));
  const auto line = annals({"append", "--set", "append.request_max_bytes=64KiB"},
                           "{\"type\":\"a.b\"}\n{\"type\":\"a.b\"," + std::string(70'000, ' ') +
                               "\"payload\":{}}\n{\"type\":\"a.b\"}\n");
  EXPECT_EQ(code_of(line), 1);
  EXPECT_EQ(line.out, "1\n2\n");
  EXPECT_THAT(line.err, AllOf(HasSubstr("line 2: error"), HasSubstr("too_large")));
}

TEST_F(CliAppend, WrongUsageIsToldApart) {
  for (const auto& words :
       std::vector<Words>{{"append", "events.json"},
                          {"append", "--payload", "{}"},
                          {"append", "--type", "a.b", "events.json"},
                          {"append", "--type", "a.b", "--actor", "robot/1"},
                          {"append", "--type", "a.b", "--id", "1"},
                          {"append", "--type", "a.b", "--occurred-at", "yesterday"},
                          {"append", "--type", "a.b", "--label", "nothing"},
                          {"append", "--type", "a.b", "--label", "a=1", "--label", "a=2"},
                          {"append", "--type", "a.b", "--expect", "none"},
                          {"append", "--type", "a.b", "--payload", "@absent.json"},
                          {"append", "."}}) {
    const auto finished = annals(words);
    EXPECT_EQ(code_of(finished), 2) << ::testing::PrintToString(words);
    EXPECT_THAT(finished.err, HasSubstr("error: ")) << ::testing::PrintToString(words);
  }
  EXPECT_EQ(exists("annals.db"), through_server()) << "a wrong command line must not make a log";
}

TEST_F(CliAppend, PersonalDataInTheHeaderIsWarnedOf) {
  const auto one = annals({"append", "--type", "a.b", "--stream", "alex@example.com"});
  EXPECT_EQ(code_of(one), 0);
  EXPECT_EQ(one.out, "1\n");
  EXPECT_THAT(one.err, AllOf(HasSubstr("warning: event 1  /stream"), HasSubstr("(personal_data)"),
                             Not(HasSubstr("alex@"))));
  const auto line =
      annals({"append"}, "{\"type\":\"a.b\"}\n{\"type\":\"a.b\",\"source\":\"sam@example.com\"}\n");
  EXPECT_EQ(line.out, "2\n3\n");
  EXPECT_THAT(line.err, HasSubstr("warning: line 2: event 3  /source"));
}

TEST_F(CliAppend, AnEmptyInputIsAnError) {
  const auto finished = annals({"append"}, "");
  EXPECT_EQ(code_of(finished), 1);
  EXPECT_THAT(finished.err, HasSubstr("empty"));
}

}  // namespace
}  // namespace annals::test
