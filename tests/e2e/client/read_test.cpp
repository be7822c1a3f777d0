#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/hash.hpp"
#include "tests/e2e/client/client_fixture.hpp"
#include "wire/envelope.hpp"

namespace annals::test {
namespace {

class ClientRead : public testing::TestWithParam<Backend> {
 protected:
  ClientRead() {
    std::vector<NewEvent> events;
    for (int i = 1; i <= 10; ++i) {
      events.push_back(event_of(i % 2 == 0 ? "order.paid" : "note.made",
                                "order/" + std::to_string(i % 3), R"({"n":1.0})"));
      events.back().labels = {{"n", std::to_string(i)}};
    }
    const auto appended = server_.log().append(server_.log().local_admin(), std::move(events));
    EXPECT_TRUE(appended);
  }

  std::vector<std::uint64_t> seqs(const PageQuery& query) {
    const auto page = client_.read(query);
    EXPECT_TRUE(page) << page.error().detail;
    std::vector<std::uint64_t> out;
    if (!page) return out;
    for (const auto& event : page->events)
      out.push_back(event.seq);
    return out;
  }

  using Seqs = std::vector<std::uint64_t>;

  RunningServer server_{GetParam()};
  Client client_ = connect(server_);
};

TEST_P(ClientRead, PagesEitherWayAndFiltered) {
  EXPECT_EQ(seqs({.after = 7}), (Seqs{8, 9, 10}));
  EXPECT_EQ(seqs({.limit = 2}), (Seqs{1, 2}));
  EXPECT_EQ(seqs({.from = "oldest", .limit = 1}), (Seqs{1}));
  EXPECT_EQ(seqs({.limit = 2, .order = Order::backward}), (Seqs{10, 9}));
  EXPECT_EQ(seqs({.before = 4, .limit = 9, .order = Order::backward}), (Seqs{3, 2, 1}));
  EXPECT_EQ(seqs({.filters = {{"type", "order.*"}, {"label.n", "4"}}}), (Seqs{4}));
  const auto page = client_.read({.after = 4, .limit = 2});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->next_after, 6U);
  EXPECT_EQ(page->head, 10U);
  EXPECT_EQ(page->oldest, 1U);
  EXPECT_FALSE(page->caught_up);
  EXPECT_EQ(page->log_id, server_.log().state()->log_id);
}

TEST_P(ClientRead, AnEnvelopeIsTheBytesOfTheServer) {
  const auto record = server_.log().find(4);
  std::string expected;
  ASSERT_TRUE(wire::append_envelope(expected, *record, wire::Rendering::privileged));
  const auto page = client_.read({.after = 3, .limit = 1});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->events[0].json, expected);
  EXPECT_EQ(client_.find(4)->json, expected);
  EXPECT_EQ(client_.find(record->header.id)->json, expected);
  EXPECT_EQ(page->events[0].payload, R"({"n":1.0})");
}

TEST_P(ClientRead, TheExactBytesHashToTheHash) {
  const auto record = server_.log().find(4);
  const auto bytes = client_.form(4, Form::header, true);
  ASSERT_TRUE(bytes) << bytes.error().detail;
  EXPECT_EQ(core::blake3(*bytes), record->row_hash);
  EXPECT_EQ(client_.form(record->header.id, Form::payload), R"({"n":1.0})");
  EXPECT_EQ(client_.form(4, Form::meta), R"({"labels":{"n":"4"}})");
}

TEST_P(ClientRead, StreamsByNameListAndChain) {
  const auto list = client_.streams("order/", "", 2);
  ASSERT_TRUE(list) << list.error().detail;
  ASSERT_EQ(list->streams.size(), 2U);
  ASSERT_EQ(list->next_after, "order/1");
  const auto rest = client_.streams("order/", *list->next_after, 2);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->streams, (std::vector<StreamHead>{*server_.log().stream("order/2")}));
  EXPECT_FALSE(rest->next_after);
  EXPECT_EQ(*client_.stream("order/1"), *server_.log().stream("order/1"));

  const auto page = client_.stream_events("order/1", {.after = 1, .limit = 2});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->events.size(), 2U);
  EXPECT_EQ(page->events[0].stream->seq, 2U);
  EXPECT_EQ(page->version, 4U);
  const auto newest = client_.stream_events("order/1", {.limit = 1, .order = Order::backward});
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->events[0].stream->seq, 4U);
  EXPECT_EQ(newest->next_before, 4U);

  const auto report = client_.verify_stream("order/1");
  ASSERT_TRUE(report) << report.error().detail;
  EXPECT_TRUE(report->clean());
  EXPECT_EQ(report->verified, 4U);
}

TEST_P(ClientRead, TheLogIsDescribed) {
  const auto info = client_.info();
  ASSERT_TRUE(info) << info.error().detail;
  const auto state = server_.log().state();
  EXPECT_EQ(info->log_id, state->log_id);
  EXPECT_EQ(info->head, 10U);
  EXPECT_EQ(info->log_hash, state->log_hash);
  EXPECT_TRUE(info->open_mode);
}

TEST_P(ClientRead, AnEmptyPageIsHeldBackUntilThereIsSomething) {
  PageQuery query;
  query.after = 10;
  query.wait = std::chrono::milliseconds{10};
  EXPECT_EQ(seqs(query), Seqs{});
  query.wait = std::chrono::seconds{60};
  server_.fill(1);
  EXPECT_EQ(seqs(query), (Seqs{11}));
}

TEST_P(ClientRead, RefusalsAreTheServers) {
  EXPECT_EQ(client_.find(11).error().code, ErrorCode::not_found);
  EXPECT_EQ(client_.stream("absent").error().code, ErrorCode::not_found);
  EXPECT_EQ(client_.read({.filters = {{"statuss", "x"}}}).error().code,
            ErrorCode::unknown_parameter);
  EXPECT_EQ(client_.read({.filters = {{"since", "x"}}}).error().code, ErrorCode::invalid_filter);
  const auto ahead = client_.read({.after = 11});
  ASSERT_FALSE(ahead);
  EXPECT_EQ(ahead.error().code, ErrorCode::resync_required);
  EXPECT_EQ(std::get<Resync>(ahead.error().details).head, 10U);
}

INSTANTIATE_TEST_SUITE_P(Backends, ClientRead, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
