// What keys with narrow grants see, on every call that reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Seqs = std::vector<std::uint64_t>;

class Grants : public testing::TestWithParam<Backend> {
 public:
  HttpClient::Fields key(std::string name, std::initializer_list<const char*> grants,
                         std::optional<std::string> principal = std::nullopt) {
    NewKey key;
    key.name = std::move(name);
    key.append = {"*"};
    key.principal = std::move(principal);
    for (const char* grant : grants)
      key.read.insert(*parse_read_grant(grant));
    return {{"X-API-Key", server.create_key(std::move(key))}};
  }

  /// Appends an event with these further members; its seq.
  std::uint64_t append(std::string_view members, const HttpClient::Fields& fields) const {
    const auto answer = server.append(event_json("{}", members), fields);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return parsed(answer)["seq"];
  }

  [[nodiscard]] Seqs seen(const HttpClient::Fields& fields) const {
    return seqs(read_all(server, 0, fields));
  }

  [[nodiscard]] int status(const std::string& target, const HttpClient::Fields& fields) const {
    return server.get(target, fields).status;
  }

  RunningServer server{GetParam()};
};

TEST_P(Grants, AddUpAndListActions) {
  const auto admin = key("admin", {"all"});
  const auto reader = key("reader", {"channel=c1:notify,read", "stream=order/", "type=mail.*"});
  const auto plain = append(R"(,"scope":{"channel_id":"c1"})", admin);
  const auto notified = append(R"(,"scope":{"channel_id":"c1"},"receive_action":"notify")", admin);
  append(R"(,"scope":{"channel_id":"c1"},"receive_action":"moderate")", admin);
  append(R"(,"scope":{"channel_id":"c2"})", admin);
  const auto ordered = append(R"(,"stream":"order/1")", admin);
  append(R"(,"stream":"order/1","receive_action":"notify")", admin);
  append(R"(,"stream":"orders")", admin);
  const std::uint64_t mailed = parsed(server.append(R"({"type":"mail.sent"})", admin))["seq"];
  EXPECT_THAT(seen(reader), ElementsAre(plain, notified, ordered, mailed));
  EXPECT_EQ(seen(admin).size(), 10U) << "with those of the two keys";
}

TEST_P(Grants, AnEventWithAnAudienceIsForItsPrincipal) {
  const auto admin = key("admin", {"all"});
  const auto mine = key("mine", {"channel=c1"}, "user/42");
  const auto other = key("other", {"channel=c1"}, "user/7");
  const auto nobody = key("nobody", {"channel=c1", "own"});
  const auto to_me = append(R"(,"scope":{"channel_id":"c1"},"audience":"user/42")", admin);
  append(R"(,"scope":{"channel_id":"c2"},"audience":"user/42")", admin);
  const auto self = append(R"(,"audience":"user/42","receive_action":"self")", admin);
  append(R"(,"audience":"user/42")", nobody);
  EXPECT_THAT(seen(mine), ElementsAre(to_me, self)) << "the audience alone is enough for self";
  EXPECT_THAT(seen(other), IsEmpty());
  EXPECT_THAT(seen(nobody), IsEmpty()) << "not even what it appended";
  EXPECT_EQ(seen(admin).size(), 8U);
  const auto shown = server.get("/v1/events/" + std::to_string(to_me), mine);
  EXPECT_EQ(parsed(shown)["audience"], "self");
}

TEST_P(Grants, HoldOnEveryCallThatReads) {
  const auto admin = key("admin", {"all"});
  const auto reader = key("reader", {"channel=c1"});
  const auto shown = append(R"(,"stream":"s","scope":{"channel_id":"c1"})", admin);
  const auto hidden = append(R"(,"stream":"s","scope":{"channel_id":"c2"})", admin);
  const std::string hidden_id =
      parsed(server.get("/v1/events/" + std::to_string(hidden), admin))["id"];
  for (const char* form : {"", "?form=header", "?form=payload", "?form=header&hashed=1"}) {
    EXPECT_EQ(status("/v1/events/" + std::to_string(shown) + form, reader), 200) << form;
    EXPECT_EQ(status("/v1/events/" + std::to_string(hidden) + form, reader), 404) << form;
    EXPECT_EQ(status("/v1/events/" + hidden_id + form, reader), 404) << form;
  }
  EXPECT_EQ(status("/v1/events/" + std::to_string(shown) + "?form=meta", reader), 403);
  EXPECT_EQ(status("/v1/events/" + std::to_string(hidden) + "?form=meta", reader), 404);
  EXPECT_THAT(seqs(parsed(server.get("/v1/streams/s/events", reader))["events"]),
              ElementsAre(shown));
  EXPECT_THAT(seqs(parsed(server.get("/v1/events?last=5", reader))["events"]), ElementsAre(shown));
  HttpClient::Fields as_lines = reader;
  as_lines.emplace_back("Accept", "application/x-ndjson");
  const auto lines = server.get("/v1/events?after=0", as_lines).body;
  EXPECT_EQ(std::ranges::count(lines, '\n'), 1);
  EXPECT_THAT(lines, Not(HasSubstr(hidden_id)));
  for (const char* target : {"/v1/streams", "/v1/streams/s", "/v1/streams/s/verify"})
    EXPECT_EQ(status(target, reader), 403) << target;
}

TEST_P(Grants, WithoutOneNothingIsRead) {
  key("admin", {"all"});
  const auto writer = key("writer", {}, "user/42");
  append("", writer);
  for (const char* target : {"/v1/events", "/v1/events/3", "/v1/events/3?form=header",
                             "/v1/events?wait=30s&after=3", "/v1/events/stream", "/v1/streams",
                             "/v1/streams/s", "/v1/streams/s/events", "/v1/streams/s/verify"}) {
    const auto answer = server.get(target, writer);
    EXPECT_EQ(answer.status, 403) << target;
    EXPECT_EQ(parsed(answer)["code"], "not_allowed") << target;
  }
  HttpClient::Fields as_lines = writer;
  as_lines.emplace_back("Accept", "application/x-ndjson");
  EXPECT_EQ(status("/v1/events", as_lines), 403);
}

TEST_P(Grants, ALongPollIsHeldOverWhatTheKeyDoesNotSee) {
  const auto admin = key("admin", {"all"});
  const auto reader = key("reader", {"channel=c1:notify"});
  auto poll = std::async(std::launch::async, [&] {
    return seqs(parsed(server.get("/v1/events?after=2&wait=30s", reader))["events"]);
  });
  append(R"(,"scope":{"channel_id":"c1"})", admin);
  append(R"(,"receive_action":"notify")", admin);
  const auto shown = append(R"(,"scope":{"channel_id":"c1"},"receive_action":"notify")", admin);
  EXPECT_THAT(poll.get(), ElementsAre(shown));
}

TEST_P(Grants, AKeyIsUsedFromItsAddressesOnly) {
  const auto with_ranges = [&](const char* name, std::initializer_list<const char*> ranges) {
    NewKey key;
    key.name = name;
    key.append = {"*"};
    key.read = {ReadGrant::all()};
    for (const char* range : ranges)
      key.from.insert(*parse_address_range(range));
    return HttpClient::Fields{{"X-API-Key", server.create_key(std::move(key))}};
  };
  const auto here = with_ranges("here", {"10.0.0.0/8", "127.0.0.0/8"});
  const auto elsewhere = with_ranges("elsewhere", {"10.0.0.0/8", "::1", "::/0"});
  EXPECT_EQ(status("/v1/events", here), 200);
  EXPECT_EQ(server.append(event_json(), here).status, 201);
  for (const char* target : {"/v1/events", "/v1/events/stream", "/v1/events/1", "/v1/log"}) {
    const auto answer = server.get(target, elsewhere);
    EXPECT_EQ(answer.status, 401) << target;
    EXPECT_EQ(parsed(answer)["code"], "not_authenticated") << target;
  }
  EXPECT_EQ(server.append(event_json(), elsewhere).status, 401);
  HttpClient::Fields claimed = elsewhere;
  claimed.emplace_back("X-Forwarded-For", "10.0.0.1");
  EXPECT_EQ(status("/v1/events", claimed), 401) << "what a client says of itself counts nothing";
}

INSTANTIATE_TEST_SUITE_P(Backends, Grants, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
