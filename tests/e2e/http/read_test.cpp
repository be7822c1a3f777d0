#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hash.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using testing::SizeIs;

class Read : public testing::TestWithParam<Backend> {
 public:
  RunningServer server{GetParam()};

  std::string code(std::string_view target) const {
    const auto answer = server.get(target);
    return std::to_string(answer.status) + ' ' + parsed(answer).value("code", "");
  }
};

TEST_P(Read, APageBeginsAtTheOldest) {
  server.fill(5);
  const json page = parsed(server.get("/v1/events"));
  ASSERT_THAT(page["events"], SizeIs(5));
  EXPECT_EQ(page["events"][0]["seq"], 1);
  EXPECT_EQ(page["next_after"], 5);
  EXPECT_EQ(page["head"], 5);
  EXPECT_EQ(page["oldest"], 1);
  EXPECT_EQ(page["caught_up"], true);
  EXPECT_EQ(page["log_id"], parsed(server.get("/v1/log"))["log_id"]);
}

TEST_P(Read, AnExactlyFullPageAtTheHeadGoesNoFurther) {
  server.fill(10);
  const json full = parsed(server.get("/v1/events?limit=10"));
  EXPECT_THAT(full["events"], SizeIs(10));
  EXPECT_EQ(full["next_after"], 10);
  EXPECT_EQ(full["caught_up"], true);
  const json part = parsed(server.get("/v1/events?limit=9"));
  EXPECT_EQ(part["next_after"], 9);
  EXPECT_EQ(part["caught_up"], false);
  const json empty = parsed(server.get("/v1/events?after=10"));
  EXPECT_THAT(empty["events"], SizeIs(0));
  EXPECT_EQ(empty["next_after"], 10);
  EXPECT_EQ(empty["caught_up"], true);
}

TEST_P(Read, OfAnEmptyLog) {
  const json page = parsed(server.get("/v1/events"));
  EXPECT_THAT(page["events"], SizeIs(0));
  EXPECT_EQ(page["next_after"], 0);
  EXPECT_EQ(page["head"], 0);
  EXPECT_EQ(page["caught_up"], true);
}

TEST_P(Read, CursorsAreAnsweredByTheTable) {
  server.fill(3);
  EXPECT_EQ(code("/v1/events?after=3"), "200 ");
  EXPECT_EQ(code("/v1/events?after=0"), "200 ");
  EXPECT_EQ(code("/v1/events?after="), "200 ");
  EXPECT_EQ(code("/v1/events?after=4"), "410 resync_required");
  EXPECT_EQ(parsed(server.get("/v1/events?after=4"))["reason"], "ahead");
  EXPECT_EQ(parsed(server.get("/v1/events?after=4"))["head"], 3);
  for (const char* cursor : {"%205", "5%3B", "0x5", "-1", "18446744073709551616", "%00", "%ff",
                             "01", "9007199254740992"}) {
    EXPECT_EQ(code("/v1/events?after=" + std::string{cursor}), "400 invalid_cursor") << cursor;
  }
  EXPECT_EQ(code("/v1/events?after=1&from=oldest"), "400 invalid_request");
  EXPECT_EQ(code("/v1/events?log_id=0190a000-0000-7000-8000-000000000001"), "410 resync_required");
  EXPECT_EQ(parsed(server.get("/v1/events?after=1&incarnation=7"))["reason"], "other_incarnation");
}

TEST_P(Read, FromIsResolvedToAPlace) {
  server.fill(4);
  const auto events = read_all(server);
  const auto first_after = [&](const std::string& from) {
    const json page = parsed(server.get("/v1/events?limit=1&from=" + from));
    return page["events"].empty() ? json{} : page["events"][0]["seq"];
  };
  EXPECT_EQ(first_after("oldest"), 1);
  EXPECT_EQ(first_after("latest"), json{});
  EXPECT_EQ(first_after("0001-01-01T00:00:00Z"), 1);
  EXPECT_EQ(first_after("9999-01-01T00:00:00Z"), json{});
  const json found = first_after(events[2]["recorded_at"].get<std::string>());
  EXPECT_EQ(events[found.get<std::size_t>() - 1]["recorded_at"], events[2]["recorded_at"]);
}

TEST_P(Read, ParametersMustBeKnown) {
  EXPECT_EQ(code("/v1/events?aftr=1"), "400 unknown_parameter");
  EXPECT_EQ(code("/v1/events?_=1&cb=2"), "200 ");
  EXPECT_EQ(code("/v1/events?limit=0"), "400 invalid_request");
  EXPECT_EQ(code("/v1/events?limit=1001"), "400 invalid_request");
  EXPECT_EQ(code("/v1/log?x=1"), "400 unknown_parameter");
  EXPECT_EQ(server.get("/v1/events", {{"Accept", "text/html"}}).status, 406);
}

TEST_P(Read, OneEventBySeqOrId) {
  server.append(event_json());
  const json event = parsed(server.get("/v1/events/1"));
  EXPECT_EQ(parsed(server.get("/v1/events/" + event["id"].get<std::string>())), event);
  EXPECT_EQ(code("/v1/events/2"), "404 not_found");
  EXPECT_EQ(code("/v1/events/0190a000-0000-7000-8000-000000000001"), "404 not_found");
  EXPECT_EQ(code("/v1/events/x"), "400 invalid_request");
  EXPECT_EQ(code("/v1/events/1?form=body"), "400 invalid_request");
  EXPECT_EQ(code("/v1/events/1?hashed=1"), "400 invalid_request");
}

TEST_P(Read, TheFormsAreWhatWasHashed) {
  server.append(event_json(R"({"a":1})", R"(,"stream":"s","labels":{"k":"v"})"));
  server.append(event_json(R"({"b":2})", R"(,"stream":"s")"));
  server.append(event_json());
  for (const char* seq : {"1", "2", "3"}) {
    const std::string path = "/v1/events/" + std::string{seq};
    const Record record = *server.log().find(std::stoull(seq));
    const auto header = server.get(path + "?form=header&hashed=1");
    EXPECT_EQ(header.header("content-type"), "application/octet-stream");
    EXPECT_EQ(core::blake3(header.body), record.row_hash);
    EXPECT_THAT(header.body, testing::EndsWith(server.get(path + "?form=header").body));
    EXPECT_EQ(core::blake3(server.get(path + "?form=payload&hashed=1").body),
              record.header.payload_digest);
    EXPECT_EQ(server.get(path + "?form=payload").body, record.payload->bytes);
  }
  EXPECT_EQ(core::blake3(server.get("/v1/events/1?form=meta&hashed=1").body),
            server.log().find(1)->header.meta_digest);
  EXPECT_EQ(server.get("/v1/events/1?form=meta").body, R"({"labels":{"k":"v"}})");
  EXPECT_EQ(code("/v1/events/3?form=meta"), "404 not_found");
}

TEST_P(Read, TheLogSaysWhatItIs) {
  server.fill(2);
  const json log = parsed(server.get("/v1/log"));
  EXPECT_EQ(log["head"], 2);
  EXPECT_EQ(log["oldest"], 1);
  EXPECT_EQ(log["open_mode"], true);
  EXPECT_EQ(log["limits"]["payload_max_bytes"], 57344);
  EXPECT_EQ(log["store"], GetParam() == Backend::sqlite ? "sqlite" : "memory");
  EXPECT_EQ(log["durability"], GetParam() == Backend::sqlite ? "full" : "none");
  EXPECT_EQ(log["log_hash"], to_hex(server.log().state()->log_hash));
}

TEST_P(Read, StreamsAreListedAndPaged) {
  for (const char* stream : {"order/1", "order/2", "cart 1"}) {
    for (int i = 0; i < 3; ++i) {
      server.append(event_json("{}", R"(,"stream":")" + std::string{stream} + '"'));
    }
  }
  const json list = parsed(server.get("/v1/streams?prefix=order/"));
  ASSERT_THAT(list["streams"], SizeIs(2));
  EXPECT_EQ(list["streams"][0]["stream"], "order/1");
  EXPECT_EQ(list["streams"][0]["version"], 3);
  const json first = parsed(server.get("/v1/streams?limit=1"));
  EXPECT_EQ(first["next_after"], "cart 1");
  EXPECT_EQ(parsed(server.get("/v1/streams?limit=1&after=cart%201"))["streams"][0]["stream"],
            "order/1");
  EXPECT_EQ(parsed(server.get("/v1/streams/order%2F2"))["version"], 3);
  const json page = parsed(server.get("/v1/streams/cart%201/events?after=1&limit=1"));
  EXPECT_EQ(page["events"][0]["stream"]["seq"], 2);
  EXPECT_EQ(page["next_after"], 2);
  EXPECT_EQ(code("/v1/streams/none"), "404 not_found");
  EXPECT_EQ(code("/v1/streams/none/events"), "404 not_found");
}

TEST_P(Read, HealthNeedsNoKey) {
  server.create_key("admin", {"*"}, {ReadGrant::all()});
  EXPECT_EQ(server.get("/healthz").status, 200);
  EXPECT_EQ(server.get("/readyz").status, 200);
}

INSTANTIATE_TEST_SUITE_P(Backends, Read, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
