#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/event_gen.hpp"
#include "testing/seed.hpp"
#include "testing/tcp_gate.hpp"
#include "tests/e2e/client/client_fixture.hpp"

namespace annals::test {
namespace {

class ClientAppend : public testing::TestWithParam<Backend> {
 protected:
  RunningServer server_{GetParam()};
  Client client_ = connect(server_);
};

TEST_P(ClientAppend, OneEventIsAnsweredWithItsPlaceAndReceipt) {
  const auto result = client_.append(event_of("order.paid", "order/1", R"({ "total" : 12.50 })"));
  ASSERT_TRUE(result) << result.error().detail;
  ASSERT_EQ(result->events.size(), 1U);
  EXPECT_EQ(result->events[0].seq, 1U);
  EXPECT_EQ(result->events[0].stream_seq, 1U);
  EXPECT_EQ(result->receipt, *server_.log().receipt_at(1));
  const auto record = server_.log().find(result->events[0].id);
  ASSERT_TRUE(record);
  EXPECT_EQ(payload_of(*record), R"({"total":12.50})");
}

TEST_P(ClientAppend, RandomEventsAreStoredAsTheyAreByALogOfTheSameProcess) {
  EventGen events(seed());
  for (int batch = 0; batch < 10; ++batch) {
    std::vector<NewEvent> sent = events.batch(20);
    const auto result = client_.append(sent);
    ASSERT_TRUE(result) << result.error().detail;
    ASSERT_EQ(result->events.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (!sent[i].id) continue;
      // The same again is the first result only if the content is the same.
      auto again = server_.log().append(server_.log().local_admin(), sent[i]);
      ASSERT_TRUE(again) << again.error().detail;
      EXPECT_TRUE(again->duplicate);
      EXPECT_EQ(again->events[0].seq, result->events[i].seq);
    }
  }
}

TEST_P(ClientAppend, ExpectationsHoldOrNothingIsStored) {
  AppendOptions none;
  none.expected_versions["s"] = {ExpectedVersion::Kind::none, 0};
  ASSERT_TRUE(client_.append(event_of("a.b", "s"), none));
  const auto conflict = client_.append({event_of("a.b"), event_of("a.b", "s")}, none);
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().code, ErrorCode::version_conflict);
  const auto& details = std::get<VersionConflict>(conflict.error().details);
  EXPECT_EQ(details.streams[0].version, 1U);
  EXPECT_EQ(server_.log().state()->event_seq, 1U);
}

TEST_P(ClientAppend, EveryViolationIsTold) {
  const auto refused = client_.append({event_of("a.b"), event_of("BAD", "")});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_event);
  const auto& details = std::get<InvalidEvent>(refused.error().details);
  ASSERT_EQ(details.violations.size(), 2U);
  EXPECT_EQ(details.violations[0].index, 1U);
}

TEST_P(ClientAppend, QueuedEventsHaveIdsOnly) {
  AppendOptions queued;
  queued.ack = Ack::queued;
  const auto result = client_.append(event_of("a.b"), queued);
  ASSERT_TRUE(result) << result.error().detail;
  EXPECT_FALSE(result->durable);
  queued.overflow = Overflow::drop;
  EXPECT_EQ(client_.append(event_of("a.b"), queued).error().code, ErrorCode::invalid_request);
}

TEST_P(ClientAppend, TracesOfSingleEventsAreRefused) {
  AppendOptions options;
  options.traceparents = {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
  EXPECT_EQ(client_.append(event_of("a.b"), options).error().code, ErrorCode::invalid_request);
}

TEST_P(ClientAppend, ADocumentIsSentAsItIs) {
  const auto one = client_.append_document(R"( {"type":"a.b","payload":{"n":1.0}} )");
  ASSERT_TRUE(one) << one.error().detail;
  EXPECT_FALSE(one->array);
  EXPECT_EQ(payload_of(*server_.log().find(1)), R"({"n":1.0})");
  AppendOptions keyed;
  keyed.idempotency_key = "k";
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto two = client_.append_document(R"([{"type":"a.b"},{"type":"c.d"}])", keyed);
    ASSERT_TRUE(two) << two.error().detail;
    EXPECT_TRUE(two->array);
    EXPECT_EQ(two->result.events[1].seq, 3U);
    EXPECT_EQ(two->result.receipt.head, 3U);
  }
}

TEST_P(ClientAppend, AnAnswerThatIsLostIsAskedForAgainWithTheSameIds) {
  TcpGate gate(server_.port());
  Client client = connect(client_options(gate.port()));
  gate.cut_after(GateSide::server, 0);
  const auto result = client.append(event_of("a.b"));
  ASSERT_TRUE(result) << result.error().detail;
  EXPECT_EQ(gate.cuts(), 1U);
  EXPECT_TRUE(result->duplicate);
  EXPECT_EQ(server_.log().state()->event_seq, 1U);
}

TEST_P(ClientAppend, WithoutPatienceALostAnswerIsUnknown) {
  TcpGate gate(server_.port());
  auto options = client_options(gate.port());
  options.append_patience = std::chrono::milliseconds{0};
  Client client = connect(options);
  gate.cut_after(GateSide::server, 0);
  NewEvent event = event_of("a.b");
  event.id = parse_uuid("0190a000-0000-7000-8000-000000000001");
  const auto unknown = client.append(event);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::commit_unknown);
  const auto again = client.append(event);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->events[0].seq, 1U);
}

TEST_P(ClientAppend, AConnectionKeptOverARestartIsMadeAnew) {
  ASSERT_TRUE(client_.append(event_of("a.b")));
  TcpGate gate(server_.port());
  Client client = connect(client_options(gate.port()));
  ASSERT_TRUE(client.append(event_of("a.b")));
  server_.restart();
  gate.target(server_.port());
  const auto result = client.append(event_of("a.b"));
  ASSERT_TRUE(result) << result.error().detail;
  EXPECT_EQ(result->events[0].seq, 3U);
  EXPECT_FALSE(result->duplicate);
}

INSTANTIATE_TEST_SUITE_P(Backends, ClientAppend, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
