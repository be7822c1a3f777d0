// For random filters and cursors, on every rendering: what is replayed is what came live is what a
// model says.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

using Seqs = std::vector<std::uint64_t>;
using Members = std::map<std::string, std::string>;  // by the name of the filter

const std::vector<std::string> words{"a", "b", "a/b", "ä ö", "x&y=z"};
const std::vector<std::string> types{"a.b", "a.b.c", "a.bb", "b.a"};

/// An event as the model knows it: what each filter compares.
struct Model {
  std::uint64_t seq = 0;
  Members members;
};

std::string encoded(const std::string& text) {
  std::ostringstream out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr char digits[] = "0123456789ABCDEF";
    out << '%' << digits[byte / 16] << digits[byte % 16];
  }
  return out.str();
}

bool type_matches(const std::string& wanted, const std::string& type) {
  if (!wanted.ends_with(".*")) return type == wanted;
  return type.starts_with(wanted.substr(0, wanted.size() - 1));
}

bool matches(const Members& filter, const Model& event) {
  for (const auto& [name, wanted] : filter) {
    const auto found = event.members.find(name);
    if (found == event.members.end()) return false;
    if (name == "type" ? !type_matches(wanted, found->second) : found->second != wanted) {
      return false;
    }
  }
  return true;
}

std::string query_of(const Members& filter) {
  std::string out;
  for (const auto& [name, value] : filter)
    out += "&" + name + "=" + encoded(value);
  return out;
}

class FilterProperty : public testing::TestWithParam<Backend> {
 public:
  Random random{seed()};
  RunningServer server{GetParam(), options()};
  std::vector<Model> model;

  static server::ServerOptions options() {
    server::ServerOptions options;
    options.page_max_scan = 40;
    options.hub_cache_bytes = 60'000;  // some is live, some has to be read again
    options.subscriber_keepalive = milliseconds{30};
    options.subscriber_checkpoint_every = 7;
    return options;
  }

  void append(std::size_t count) {
    std::vector<NewEvent> events;
    std::vector<Members> members(count);
    for (std::size_t i = 0; i < count; ++i)
      events.push_back(make(members[i]));
    const auto result = server.log().append(server.log().local_admin(), std::move(events));
    ASSERT_TRUE(result) << result.error().detail;
    for (std::size_t i = 0; i < count; ++i)
      model.push_back({result->events[i].seq, std::move(members[i])});
  }

  Members random_filter() {
    Members filter;
    const auto add = [&](const std::string& name, const std::string& value) {
      if (random.chance(12)) filter[name] = value;
    };
    for (const char* name :
         {"source", "stream", "space", "channel", "thread", "resource_id", "label.x", "label.y"}) {
      add(name, random.pick(words));
    }
    add("resource_kind", random.chance(50) ? "event" : "order");
    add("type", random.chance(50) ? random.pick(types) : "a.b.*");
    add("actor", random.chance(30) ? "system" : "user/" + random.pick(words));
    return filter;
  }

  [[nodiscard]] Seqs expected(const Members& filter, std::uint64_t after) const {
    Seqs out;
    for (const Model& event : model) {
      if (event.seq > after && matches(filter, event)) out.push_back(event.seq);
    }
    return out;
  }

  [[nodiscard]] std::uint64_t head() const { return model.empty() ? 0 : model.back().seq; }

  /// Reads frames until everything up to the head was sent or passed over.
  Seqs read_stream(SseClient& stream, std::uint64_t after) const {
    Seqs out;
    std::uint64_t last = after;
    while (last < head()) {
      const auto frame = stream.next_frame();
      if (!frame) throw std::runtime_error("the stream has ended");
      if (frame->seq() < last) throw std::runtime_error("a position goes back");
      if (frame->seq() > head()) throw std::runtime_error("a position is ahead of the log");
      if (frame->event.empty()) {
        if (frame->seq() == last) throw std::runtime_error("an event after its own position");
        out.push_back(frame->seq());
      }
      last = frame->seq();
    }
    return out;
  }

  Seqs read_pages(const std::string& query, std::uint64_t after) {
    HttpClient client{server.port()};
    Seqs out;
    while (true) {
      const auto limit = std::to_string(random.between(1, 20));
      const json page = parsed(client.request(
          "GET", "/v1/events?after=" + std::to_string(after) + "&limit=" + limit + query));
      for (const json& event : page.at("events"))
        out.push_back(event.at("seq"));
      after = page.at("next_after");
      if (page.at("caught_up")) return out;
    }
  }

  Seqs read_pages_backward(const std::string& query, std::uint64_t after) {
    HttpClient client{server.port()};
    Seqs out;
    std::string before;
    while (true) {
      const json page = parsed(client.request(
          "GET", "/v1/events?order=desc&limit=" + std::to_string(random.between(1, 20)) +
                     "&after=" + std::to_string(after) + before + query));
      for (const json& event : page.at("events"))
        out.insert(out.begin(), event.at("seq").get<std::uint64_t>());
      if (!page.contains("next_before")) return out;
      before = "&before=" + std::to_string(page["next_before"].get<std::uint64_t>());
    }
  }

  [[nodiscard]] Seqs read_ndjson(const std::string& query, std::uint64_t after) const {
    const auto answer = server.get("/v1/events?after=" + std::to_string(after) + query,
                                   {{"Accept", "application/x-ndjson"}});
    Seqs out;
    std::istringstream lines{answer.body};
    for (std::string line; std::getline(lines, line);)
      out.push_back(json::parse(line).at("seq"));
    return out;
  }

 private:
  NewEvent make(Members& members) {
    NewEvent event;
    event.type = members["type"] = random.pick(types);
    const auto maybe = [&](const char* name) -> std::optional<std::string> {
      if (random.chance(30)) return std::nullopt;
      return members[name] = random.pick(words);
    };
    event.source = maybe("source");
    event.stream = maybe("stream");
    event.scope = {maybe("space"), maybe("channel"), maybe("thread")};
    members["resource_kind"] = "event";
    if (random.chance(50)) event.resource.kind = members["resource_kind"] = "order";
    event.resource.id = maybe("resource_id");
    if (random.chance(60)) {
      if (random.chance(30)) {
        event.actor = Actor{ActorKind::system, std::nullopt};
        members["actor"] = "system";
      } else {
        event.actor = Actor{ActorKind::user, random.pick(words)};
        members["actor"] = "user/" + *event.actor->id;
      }
    }
    for (const char* name : {"x", "y"}) {
      if (random.chance(60)) {
        event.labels[name] = members[std::string{"label."} + name] = random.pick(words);
      }
    }
    return event;
  }
};

/// A stream that was open while events came.
struct Live {
  Members filter;
  std::string query;
  std::uint64_t after = 0;
  std::unique_ptr<SseClient> stream;
};

TEST_P(FilterProperty, ReplayIsLiveIsTheModel) {
  for (int round = 0; round < 6; ++round) {
    append(random.between(1, 60));
    std::vector<Live> readers;
    for (int reader = 0; reader < 5; ++reader) {
      Live live;
      live.filter = random_filter();
      live.query = query_of(live.filter);
      live.after = random.below(head() + 1);
      live.stream = std::make_unique<SseClient>(
          server.port(), "/v1/events/stream?after=" + std::to_string(live.after) + live.query);
      readers.push_back(std::move(live));
    }
    for (int batch = 0; batch < 8; ++batch)
      append(random.between(1, 30));
    for (Live& live : readers) {
      SCOPED_TRACE("after=" + std::to_string(live.after) + live.query);
      const Seqs wanted = expected(live.filter, live.after);
      EXPECT_EQ(read_stream(*live.stream, live.after), wanted) << "live";
      SseClient replay{server.port(),
                       "/v1/events/stream?after=" + std::to_string(live.after) + live.query};
      EXPECT_EQ(read_stream(replay, live.after), wanted) << "replayed";
      EXPECT_EQ(read_pages(live.query, live.after), wanted) << "pages";
      EXPECT_EQ(read_pages_backward(live.query, live.after), wanted) << "pages backward";
      EXPECT_EQ(read_ndjson(live.query, live.after), wanted) << "NDJSON";
    }
    if (HasFailure()) return;
  }
}

TEST_P(FilterProperty, AnyPositionResumesWithoutLossOrRepeat) {
  append(200);
  for (int round = 0; round < 20; ++round) {
    const Members filter = random_filter();
    const std::string target = "/v1/events/stream?from=oldest" + query_of(filter);
    SseClient first{server.port(), target};
    Seqs seen;
    std::uint64_t position = 0;
    for (auto left = random.between(1, 12); left > 0 && position < head(); --left) {
      const auto frame = first.next_frame();
      ASSERT_TRUE(frame);
      if (frame->event.empty()) seen.push_back(frame->seq());
      position = frame->seq();
    }
    first.close(random.chance(50));
    SseClient second{server.port(), target, {{"Last-Event-ID", std::to_string(position)}}};
    for (const std::uint64_t seq : read_stream(second, position))
      seen.push_back(seq);
    ASSERT_EQ(seen, expected(filter, 0)) << target << " resumed after " << position;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, FilterProperty,
                         testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
