#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "testing/random.hpp"
#include "testing/seed.hpp"
#include "testing/tcp_gate.hpp"
#include "tests/e2e/client/canned_server.hpp"
#include "tests/e2e/client/client_fixture.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;

server::ServerOptions quick() {
  server::ServerOptions options;
  options.subscriber_keepalive = milliseconds{50};
  options.tail_poll_interval = milliseconds{50};
  return options;
}

/// Comes back soon after a lost connection, whatever the server asks for.
FollowOptions eager(std::uint64_t after) {
  FollowOptions options;
  options.after = after;
  options.retry_max = milliseconds{20};
  return options;
}

class ClientFollow : public testing::TestWithParam<Backend> {
 protected:
  RunningServer server_{GetParam(), quick()};
  Client client_ = connect(server_);
};

TEST_P(ClientFollow, FromTheOldestToTheHeadAndOn) {
  server_.fill(2500);
  Follower follower = client_.follow({.from = "oldest"});
  EXPECT_TRUE(next_of<Connected>(follower).complete);
  const auto seqs = next_seqs(follower, 2500);
  for (std::size_t i = 0; i < seqs.size(); ++i)
    ASSERT_EQ(seqs[i], i + 1);
  EXPECT_EQ(next_of<CaughtUp>(follower).head, 2500U);
  EXPECT_EQ(follower.position(), 2500U);
  server_.fill(1);
  EXPECT_EQ(next_of<Envelope>(follower).seq, 2501U);
}

TEST_P(ClientFollow, StartsNowAfterANumberOrAtATime) {
  server_.fill(5);
  Follower now = client_.follow({});
  EXPECT_EQ(next_of<CaughtUp>(now).head, 5U);
  Follower after = client_.follow({.after = 3});
  EXPECT_EQ(next_seqs(after, 2), (std::vector<std::uint64_t>{4, 5}));
  Follower time = client_.follow({.from = "2000-01-01T00:00:00Z"});
  EXPECT_EQ(next_of<Envelope>(time).seq, 1U);
  Follower later = client_.follow({.from = "2999-01-01T00:00:00Z"});
  EXPECT_EQ(next_of<CaughtUp>(later).head, 5U);
}

TEST_P(ClientFollow, WaitsNoLongerThanAsked) {
  Follower follower = client_.follow({});
  next_of<CaughtUp>(follower);
  const auto message = follower.next(milliseconds{0});
  ASSERT_TRUE(message) << message.error().detail;
  EXPECT_FALSE(*message);
}

TEST_P(ClientFollow, AFilteredStreamMovesItsPositionWithoutEvents) {
  Follower follower = client_.follow({.from = "oldest", .filters = {{"type", "order.*"}}});
  EXPECT_FALSE(next_of<Connected>(follower).complete);
  next_of<CaughtUp>(follower);
  server_.fill(3);
  while (follower.position() != 3U)
    next_message(follower);
  ASSERT_TRUE(client_.append(event_of("order.paid")));
  EXPECT_EQ(next_of<Envelope>(follower).seq, 4U);
}

TEST_P(ClientFollow, IsCompleteAndWithoutRepeatThroughRestarts) {
  TcpGate gate(server_.port());
  Client client = connect(client_options(gate.port()));
  Follower follower = client.follow(eager(0));
  std::uint64_t last = 0;
  for (int round = 0; round < 5; ++round) {
    server_.fill(300);
    for (const auto seq : next_seqs(follower, 200))
      ASSERT_EQ(seq, ++last);
    gate.refuse();
    server_.restart();
    server_.fill(50);
    gate.target(server_.port());
    gate.pass();
  }
  while (last < 5 * 350)
    ASSERT_EQ(next_of<Envelope>(follower).seq, ++last);
}

TEST_P(ClientFollow, IsCompleteAndWithoutRepeatThroughCutsAnywhere) {
  TcpGate gate(server_.port());
  Client client = connect(client_options(gate.port()));
  Random random(seed());
  // More bytes than all cuts together let pass.
  constexpr std::uint64_t head = 5000;
  server_.fill(head);
  Follower follower = client.follow(eager(0));
  std::uint64_t last = 0;
  for (std::size_t cut = 1; cut <= 30; ++cut) {
    gate.cut_after(GateSide::server, random.below(30'000));
    while (gate.cuts() < cut) {
      const auto message = follower.next(milliseconds{1});
      ASSERT_TRUE(message) << message.error().detail;
      if (!*message) continue;
      if (const auto* event = std::get_if<Envelope>(&**message)) {
        ASSERT_EQ(event->seq, ++last);
      }
    }
  }
  while (last < head)
    ASSERT_EQ(next_of<Envelope>(follower).seq, ++last);
}

TEST_P(ClientFollow, AConnectionThatFallsSilentIsReplaced) {
  TcpGate gate(server_.port());
  Client client = connect(client_options(gate.port()));
  auto options = eager(0);
  options.silence = milliseconds{300};
  Follower follower = client.follow(options);
  next_of<CaughtUp>(follower);
  gate.half_open(GateSide::server);
  server_.fill(1);
  const auto lost = next_of<Disconnected>(follower);
  EXPECT_EQ(lost.why.code, ErrorCode::store_unavailable);
  EXPECT_EQ(next_of<Envelope>(follower).seq, 1U);
}

TEST_P(ClientFollow, AServerThatIsNotThereYetIsWaitedFor) {
  TcpGate gate(server_.port());
  gate.refuse();
  Client client = connect(client_options(gate.port()));
  Follower follower = client.follow(eager(0));
  EXPECT_EQ(next_of<Disconnected>(follower).why.code, ErrorCode::store_unavailable);
  gate.pass();
  server_.fill(1);
  EXPECT_EQ(next_of<Envelope>(follower).seq, 1U);
}

TEST_P(ClientFollow, APositionThatCannotBeContinuedIsTold) {
  server_.fill(20);
  server_.keep_from(11);
  Follower behind = client_.follow({.after = 5});
  const auto expired = next_of<Resynced>(behind);
  EXPECT_EQ(expired.resync, (Resync{"expired", 11, 20, 6, 10}));
  EXPECT_EQ(expired.after, 10U);
  EXPECT_EQ(next_of<Envelope>(behind).seq, 11U);

  Follower ahead = client_.follow({.after = 30});
  const auto told = next_of<Resynced>(ahead);
  EXPECT_EQ(told.resync.reason, "ahead");
  EXPECT_EQ(told.after, 20U);
  server_.fill(1);
  EXPECT_EQ(next_of<Envelope>(ahead).seq, 21U);

  Follower other = client_.follow({.after = 15,
                                   .log_id = parse_uuid("0190a000-0000-7000-8000-000000000001"),
                                   .incarnation = 1});
  EXPECT_EQ(next_of<Resynced>(other).resync.reason, "other_log");
}

TEST_P(ClientFollow, ARevokedKeyEndsIt) {
  server_.create_key("keeper", {}, {ReadGrant::all()});
  auto options = client_options(server_.port());
  options.api_key = server_.create_key("reader", {}, {ReadGrant::all()});
  Follower follower = connect(options).follow({});
  next_of<CaughtUp>(follower);
  ASSERT_TRUE(server_.log().revoke_key(server_.log().local_admin(), "reader"));
  next_of<Revoked>(follower);
  EXPECT_EQ(end_of(follower).code, ErrorCode::not_authenticated);
  EXPECT_EQ(end_of(follower).code, ErrorCode::not_authenticated) << "it stays so";
}

TEST_P(ClientFollow, RefusalsThatWillNotPassEndIt) {
  Follower filtered = client_.follow({.filters = {{"statuss", "x"}}});
  EXPECT_EQ(end_of(filtered).code, ErrorCode::unknown_parameter);
  server_.create_key("somebody", {}, {ReadGrant::all()});
  Follower stranger = client_.follow({});
  EXPECT_EQ(end_of(stranger).code, ErrorCode::not_authenticated);
  const CannedServer other("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
  Follower lost = connect(client_options(other.port())).follow({});
  EXPECT_EQ(end_of(lost).code, ErrorCode::invalid_request);
}

INSTANTIATE_TEST_SUITE_P(Backends, ClientFollow, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(ClientFollowFull, AServerWithoutAFreePlaceIsAskedAgain) {
  auto options = quick();
  options.subscriber_max_connections = 1;
  RunningServer server(Backend::memory, options);
  Client client = connect(server);
  std::optional<Follower> first = client.follow(eager(0));
  next_of<CaughtUp>(*first);
  Follower second = client.follow(eager(0));
  const auto lost = next_of<Disconnected>(second);
  EXPECT_EQ(lost.why.code, ErrorCode::too_many_subscribers);
  ASSERT_TRUE(lost.why.retry_after);
  EXPECT_GE(lost.retry_in, *lost.why.retry_after);
}

}  // namespace
}  // namespace annals::test
