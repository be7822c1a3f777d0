#include "testing/tcp_gate.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "testing/fd.hpp"
#include "testing/loopback.hpp"

namespace annals::test {
namespace {

using namespace std::chrono_literals;

constexpr int patience_ms = 20'000;

/// One end of a connection, driven step by step with deadlines.
class Peer {
 public:
  explicit Peer(Fd socket) : socket_(std::move(socket)) {}

  static Peer connect(std::uint16_t port) {
    Peer peer(connect_to(port));
    peer.ready(POLLOUT, patience_ms);
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(peer.socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    peer.connect_error_ = error;
    return peer;
  }

  [[nodiscard]] int connect_error() const { return connect_error_; }

  void send(std::string_view text) {
    ASSERT_EQ(::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  /// Bytes until there are `size` of them, or the end, an error or the deadline.
  std::string receive(std::size_t size, int timeout_ms = patience_ms) {
    std::string out;
    while (out.size() < size && ready(POLLIN, timeout_ms)) {
      std::array<char, 4096> block{};
      const auto wanted = std::min(block.size(), size - out.size());
      const auto got = ::recv(socket_.get(), block.data(), wanted, 0);
      if (got <= 0) break;
      out.append(block.data(), static_cast<std::size_t>(got));
    }
    return out;
  }

  /// How it ends: 0 for an orderly end, the errno of a reset, -1 when it is still open.
  int ending(int timeout_ms = patience_ms) {
    if (!ready(POLLIN, timeout_ms)) return -1;
    char byte = 0;
    const auto got = ::recv(socket_.get(), &byte, 1, 0);
    if (got > 0) return -2;
    return got == 0 ? 0 : errno;
  }

  void finish() { ::shutdown(socket_.get(), SHUT_WR); }
  void close() { socket_.reset(); }
  explicit operator bool() const { return static_cast<bool>(socket_); }

 private:
  bool ready(short events, int timeout_ms) {
    pollfd watched{socket_.get(), events, 0};
    return ::poll(&watched, 1, timeout_ms) == 1;
  }

  Fd socket_;
  int connect_error_ = 0;
};

class TcpGateTest : public testing::Test {
 protected:
  TcpGateTest() : listener_(reserve_port(port_)) { listen_on(listener_); }

  Peer accept() {
    pollfd watched{listener_.get(), POLLIN, 0};
    ::poll(&watched, 1, patience_ms);
    return Peer(accept_from(listener_));
  }

  /// Both ends of a new connection through the gate, with a byte sent to make sure of it.
  std::pair<Peer, Peer> connected() {
    Peer client = Peer::connect(gate_.port());
    Peer server = accept();
    client.send("!");
    EXPECT_EQ(server.receive(1), "!");
    return {std::move(client), std::move(server)};
  }

  std::uint16_t port_ = 0;
  Fd listener_;
  TcpGate gate_{port_};
};

TEST_F(TcpGateTest, PassesBothWaysAndHandsEndsOn) {
  auto [client, server] = connected();
  client.send("question");
  EXPECT_EQ(server.receive(8), "question");
  client.finish();
  EXPECT_EQ(server.ending(), 0);
  server.send("answer");
  server.finish();
  EXPECT_EQ(client.receive(6), "answer");
  EXPECT_EQ(client.ending(), 0);
  EXPECT_EQ(gate_.passed(GateSide::client), 9U);
  EXPECT_EQ(gate_.passed(GateSide::server), 6U);
  EXPECT_EQ(gate_.connections(), 0U);
}

TEST_F(TcpGateTest, PassesMoreThanItsBuffers) {
  auto [client, server] = connected();
  const std::string block(64'000, 'x');
  std::size_t received = 0;
  for (int i = 0; i < 50; ++i) {
    client.send(block);
    received += server.receive(block.size()).size();
  }
  EXPECT_EQ(received, 50 * block.size());
}

TEST_F(TcpGateTest, RefusesThenListensOnTheSamePort) {
  auto [client, server] = connected();
  gate_.refuse();
  EXPECT_EQ(Peer::connect(gate_.port()).connect_error(), ECONNREFUSED);
  client.send("open ones go on");
  EXPECT_EQ(server.receive(15), "open ones go on");
  gate_.pass();
  connected();
}

TEST_F(TcpGateTest, CutsWithAReset) {
  auto [client, server] = connected();
  gate_.cut();
  EXPECT_EQ(client.ending(), ECONNRESET);
  EXPECT_EQ(server.ending(), ECONNRESET);
  EXPECT_EQ(gate_.connections(), 0U);
  connected();
}

TEST_F(TcpGateTest, CutsAfterExactlySoManyBytes) {
  auto [client, server] = connected();
  gate_.cut_after(GateSide::server, 5);
  client.send("not counted");
  EXPECT_EQ(server.receive(11), "not counted");
  server.send("123");
  EXPECT_EQ(client.receive(3), "123");
  EXPECT_EQ(gate_.cuts(), 0U);
  server.send("456");
  EXPECT_EQ(client.receive(3), "45");
  EXPECT_TRUE(gate_.wait_for_cuts(1, 20s));
  EXPECT_EQ(server.ending(), ECONNRESET);
  connected();
  EXPECT_EQ(gate_.cuts(), 1U);
}

TEST_F(TcpGateTest, AnAnswerIsLostAfterTheRequestArrived) {
  auto [client, server] = connected();
  gate_.cut_after(GateSide::server, 0);
  client.send("request");
  EXPECT_EQ(server.receive(7), "request");
  server.send("answer");
  EXPECT_EQ(client.ending(), ECONNRESET);
  EXPECT_EQ(gate_.passed(GateSide::server), 0U);
}

TEST_F(TcpGateTest, StallsWithoutLoss) {
  auto [client, server] = connected();
  gate_.stall();
  client.send("late");
  EXPECT_EQ(server.receive(4, 50), "");
  Peer second = Peer::connect(gate_.port());
  EXPECT_EQ(second.connect_error(), 0);
  client.finish();
  EXPECT_EQ(server.ending(50), -1);
  gate_.pass();
  EXPECT_EQ(server.receive(4), "late");
  EXPECT_EQ(server.ending(), 0);
}

TEST_F(TcpGateTest, IsAsSlowAsItWasTold) {
  auto [client, server] = connected();
  gate_.slow(100'000);
  const auto start = std::chrono::steady_clock::now();
  client.send(std::string(40'000, 'x'));
  EXPECT_EQ(server.receive(40'000).size(), 40'000U);
  // A tenth of a second may come at once, the rest takes 0.3 s.
  EXPECT_GE(std::chrono::steady_clock::now() - start, 250ms);
}

TEST_F(TcpGateTest, AVanishedClientLeavesTheServerWaiting) {
  auto [client, server] = connected();
  gate_.half_open(GateSide::client);
  EXPECT_EQ(client.ending(), ECONNRESET);
  EXPECT_EQ(server.ending(50), -1);
  server.send("into the void");
  EXPECT_EQ(server.ending(50), -1);
  EXPECT_EQ(gate_.connections(), 1U);
  server.close();
  connected();
}

TEST_F(TcpGateTest, AVanishedServerLeavesTheClientWaiting) {
  auto [client, server] = connected();
  gate_.half_open(GateSide::server);
  EXPECT_EQ(server.ending(), ECONNRESET);
  client.send("into the void");
  EXPECT_EQ(client.ending(50), -1);
}

TEST_F(TcpGateTest, AMovedTargetIsFollowed) {
  std::uint16_t other_port = 0;
  const Fd other = reserve_port(other_port);
  listen_on(other);
  gate_.target(other_port);
  Peer client = Peer::connect(gate_.port());
  client.send("x");
  pollfd watched{other.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&watched, 1, patience_ms), 1);
  EXPECT_EQ(Peer(accept_from(other)).receive(1), "x");
}

TEST_F(TcpGateTest, ADeadTargetResetsTheClient) {
  listener_.reset();
  Peer client = Peer::connect(gate_.port());
  // The system tells of a reset once: to connecting, when it comes that early.
  const int early = client.connect_error();
  EXPECT_EQ(early != 0 ? early : client.ending(), ECONNRESET);
}

}  // namespace
}  // namespace annals::test
