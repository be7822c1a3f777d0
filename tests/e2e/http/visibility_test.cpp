// For random grants, events and cursors: what a key is shown live, what it is shown in replay, and
// what the rule says, are the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;

using Seqs = std::vector<std::uint64_t>;

/// Everybody sees events of this type: the last one tells a stream's reader that it has all.
constexpr std::string_view end_type = "test.ended";

/// A grant, as the model understands it.
struct ModelGrant {
  std::string area;
  std::string value;
  std::set<std::string> actions;

  [[nodiscard]] std::string text() const {
    std::string out = area;
    if (!value.empty()) out += '=' + value;
    char separator = ':';
    for (const auto& action : actions)
      out += std::exchange(separator, ',') + action;
    return out;
  }
};

struct ModelKey {
  std::vector<ModelGrant> grants;
  std::optional<std::string> principal;
  std::size_t number = 0;
  HttpClient::Fields fields;
  std::optional<WriteCapability> capability;
};

struct ModelEvent {
  std::uint64_t seq = 0;
  std::size_t writer = 0;
  NewEvent event;
};

/// The rule as section 7 of the specification says it, on what was appended.
bool shown(const ModelKey& key, const ModelEvent& stored) {
  const NewEvent& event = stored.event;
  const std::string action = event.receive_action.value_or("read");
  bool granted = action == "self";
  for (const ModelGrant& grant : key.grants) {
    if (grant.area == "all") return true;
    bool covered = grant.area == "own" && stored.writer == key.number;
    if (grant.area == "space") covered = event.scope.space_id.value_or("") == grant.value;
    if (grant.area == "channel") covered = event.scope.channel_id.value_or("") == grant.value;
    if (grant.area == "stream") covered = event.stream.value_or("").starts_with(grant.value);
    if (grant.area == "type") covered = event.type == grant.value;
    if (grant.area == "type" && grant.value.back() == '*') {
      covered = event.type.starts_with(grant.value.substr(0, grant.value.size() - 1));
    }
    granted = granted || (covered && grant.actions.contains(action));
  }
  if (event.audience && event.audience != key.principal) return false;
  return granted;
}

class Visibility : public testing::TestWithParam<Backend> {
 public:
  ModelGrant grant() {
    ModelGrant out;
    out.area = random.pick({"own", "space", "channel", "stream", "type"});
    if (out.area == "space") out.value = random.pick({"s1", "s2"});
    if (out.area == "channel") out.value = random.pick({"c1", "c2"});
    if (out.area == "stream") out.value = random.pick({"a", "a/", "a/1", "b:"});
    if (out.area == "type") out.value = random.pick({"t.one", "t.*", "t.more.*"});
    for (const char* action : {"read", "notify"}) {
      if (random.chance(60)) out.actions.insert(action);
    }
    if (out.actions.empty()) out.actions.insert("read");
    return out;
  }

  std::optional<std::string> principal() {
    if (random.chance(40)) return std::nullopt;
    return random.pick({"user/1", "user/2"});
  }

  void add_key() {
    ModelKey key;
    key.number = keys.size();
    key.principal = principal();
    if (random.chance(15)) key.grants.push_back({"all", "", {}});
    for (std::uint64_t count = random.below(4); count > 0; --count)
      key.grants.push_back(grant());
    key.grants.push_back({"type", std::string{end_type}, {"read"}});
    NewKey made;
    made.name = "key " + std::to_string(key.number);
    made.append = {"*"};
    made.principal = key.principal;
    for (const ModelGrant& grant : key.grants)
      made.read.insert(parse_read_grant(grant.text()).value());
    const std::string secret = server->create_key(std::move(made));
    key.fields = {{"X-API-Key", secret}};
    key.capability = server->log().authenticate(secret).value().capability;
    keys.push_back(std::move(key));
  }

  NewEvent event() {
    NewEvent out;
    out.type = random.pick({"t.one", "t.two", "t.more.deep"});
    if (random.chance(60)) out.stream = random.pick({"a", "a/1", "a/12", "b:1"});
    if (random.chance(50)) out.scope.space_id = random.pick({"s1", "s2", "s3"});
    if (random.chance(50)) out.scope.channel_id = random.pick({"c1", "c2", "c3"});
    if (random.chance(40)) out.receive_action = random.pick({"notify", "moderate"});
    if (random.chance(30)) {
      out.audience = random.pick({"user/1", "user/2", "user/3"});
      if (random.chance(40)) out.receive_action = "self";
    }
    return out;
  }

  void append(NewEvent event) {
    const std::size_t writer = random.below(keys.size());
    const auto result = server->log().append(*keys[writer].capability, event);
    ASSERT_TRUE(result) << result.error().detail;
    events.push_back({result->events.front().seq, writer, std::move(event)});
  }

  void append_some(std::uint64_t count) {
    for (; count > 0; --count)
      append(event());
  }

  void append_end() {
    NewEvent end;
    end.type = end_type;
    append(std::move(end));
  }

  [[nodiscard]] Seqs expected(const ModelKey& key, std::uint64_t after) const {
    Seqs out;
    for (const ModelEvent& event : events) {
      if (event.seq > after && shown(key, event)) out.push_back(event.seq);
    }
    // The events that tell of the keys are in the stream $access: for `all` alone.
    const bool all = std::ranges::any_of(
        key.grants, [](const ModelGrant& grant) { return grant.area == "all"; });
    if (!all) return out;
    for (std::uint64_t seq = after + 1; seq <= keys.size(); ++seq)
      out.push_back(seq);
    std::ranges::sort(out);
    return out;
  }

  void expect_pages(const ModelKey& key, std::uint64_t after) const {
    const Seqs wanted = expected(key, after);
    const std::string at = "/v1/events?after=" + std::to_string(after);
    Seqs forward;
    for (const json& event : read_all(*server, after, key.fields))
      forward.push_back(event["seq"]);
    EXPECT_EQ(forward, wanted);
    Seqs backward;
    const json page = parsed(server->get(at + "&order=desc&limit=1000", key.fields));
    for (const json& event : page["events"])
      backward.push_back(event["seq"]);
    std::ranges::reverse(backward);
    EXPECT_EQ(backward, wanted);
    HttpClient::Fields as_lines = key.fields;
    as_lines.emplace_back("Accept", "application/x-ndjson");
    std::istringstream lines{server->get(at, as_lines).body};
    Seqs by_line;
    for (std::string line; std::getline(lines, line);)
      by_line.push_back(json::parse(line)["seq"]);
    EXPECT_EQ(by_line, wanted);
  }

  void expect_single(const ModelKey& key) {
    const ModelEvent& event = random.pick(events);
    const std::string name = std::to_string(event.seq);
    const int wanted = shown(key, event) ? 200 : 404;
    EXPECT_EQ(server->get("/v1/events/" + name, key.fields).status, wanted) << name;
    EXPECT_EQ(server->get("/v1/events/" + name + "?form=payload", key.fields).status, wanted);
  }

  void expect_stream_page(const ModelKey& key) {
    Seqs wanted;
    for (const ModelEvent& event : events) {
      if (event.event.stream == "a/1" && shown(key, event)) wanted.push_back(event.seq);
    }
    const auto answer = server->get("/v1/streams/a%2F1/events?limit=1000", key.fields);
    if (answer.status == 404) {
      EXPECT_TRUE(wanted.empty()) << "no such stream";
      return;
    }
    const json body = parsed(answer);
    Seqs page;
    for (const json& event : body["events"])
      page.push_back(event["seq"]);
    EXPECT_EQ(page, wanted);
  }

  /// Reads a subscriber up to the last event of all.
  [[nodiscard]] Seqs read_to_end(SseClient& stream) const {
    Seqs out;
    while (out.empty() || out.back() < events.back().seq) {
      const auto frame = stream.next_frame();
      if (!frame) break;
      if (frame->event.empty()) out.push_back(frame->seq());
    }
    return out;
  }

  /// One log, some keys, some of whose readers begin before the events are there.
  void run_round() {
    server = std::make_unique<RunningServer>(GetParam());
    keys.clear();
    events.clear();
    for (int i = 0; i < 6; ++i)
      add_key();
    append_some(random.between(1, 40));

    struct Live {
      const ModelKey* key;
      std::uint64_t after;
      SseClient client;
    };
    std::vector<Live> live;
    for (const ModelKey& key : keys) {
      const std::uint64_t after = random.below(events.back().seq + 1);
      live.push_back({&key, after,
                      SseClient{server->port(), "/v1/events/stream?after=" + std::to_string(after),
                                key.fields}});
    }
    append_some(random.between(1, 60));
    append_end();
    for (Live& reader : live) {
      EXPECT_EQ(read_to_end(reader.client), expected(*reader.key, reader.after)) << "live";
      SseClient again{server->port(), "/v1/events/stream?after=" + std::to_string(reader.after),
                      reader.key->fields};
      EXPECT_EQ(read_to_end(again), expected(*reader.key, reader.after)) << "replay";
      expect_pages(*reader.key, reader.after);
      for (int i = 0; i < 5; ++i)
        expect_single(*reader.key);
      expect_stream_page(*reader.key);
    }
  }

  Random random{seed()};
  std::unique_ptr<RunningServer> server;
  std::vector<ModelKey> keys;
  std::vector<ModelEvent> events;
};

TEST_P(Visibility, ReplayAndLiveAndTheModelAgree) {
  for (int round = 0; round < 12 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    run_round();
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Visibility, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
