#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "testing/fd.hpp"
#include "testing/loopback.hpp"
#include "testing/random.hpp"
#include "testing/resident_memory.hpp"
#include "testing/seed.hpp"
#include "testing/tcp_gate.hpp"
#include "tests/e2e/http/running_server.hpp"

// Subscribers that take nothing, go away without a word, or are cut all the time.

namespace annals::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

/// Asks for the stream from its beginning over a connection that holds next to nothing unread.
Fd ask_for_stream(std::uint16_t port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int smallest = 1;
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &smallest, sizeof smallest);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  constexpr std::string_view request =
      "GET /v1/events/stream?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(request.size())) {
    throw std::runtime_error("no connection");
  }
  return socket;
}

bool wait_for_subscribers(RunningServer& server, std::size_t count) {
  const auto give_up = steady_clock::now() + 2 * client_patience;
  while (server.server().subscribers() != count) {
    if (steady_clock::now() > give_up) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Reads a stream on a thread of its own and keeps when each event arrived.
class Witness {
 public:
  Witness(std::uint16_t port, std::uint64_t last)
      : stream_(port, "/v1/events/stream?after=0"),
        thread_([this, last] { read(last); }) {}

  /// After `join`: how long each event took from its answer, as `answered` says, in order.
  std::vector<milliseconds> delays(const std::vector<steady_clock::time_point>& answered) {
    thread_.join();
    std::vector<milliseconds> all;
    for (std::size_t i = 0; i < answered.size() && i < arrived_.size(); ++i) {
      all.push_back(std::chrono::duration_cast<milliseconds>(arrived_[i] - answered[i]));
    }
    std::ranges::sort(all);
    return all;
  }

 private:
  void read(std::uint64_t last) {
    while (arrived_.size() < last) {
      const auto frame = stream_.next_frame();
      ASSERT_TRUE(frame);
      if (!frame->event.empty()) continue;
      ASSERT_EQ(frame->seq(), arrived_.size() + 1);
      arrived_.push_back(steady_clock::now());
    }
  }

  SseClient stream_;
  std::vector<steady_clock::time_point> arrived_;
  std::jthread thread_;
};

// S1
TEST(DeadClients, AThousandThatNeverReadCostLittleAndHoldNobodyUp) {
  constexpr std::size_t dead = 1000;
  constexpr std::uint64_t events = 600;
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_GT(limit.rlim_max, 2 * dead + 100) << "raise the limit of open files";
  server::ServerOptions options;
  options.subscriber_write_timeout = milliseconds{2000};
  options.hub_cache_bytes = std::size_t{4} << 20U;
  RunningServer server{Backend::sqlite, options};
  std::vector<Fd> sockets;
  for (std::size_t i = 0; i < dead; ++i)
    sockets.push_back(ask_for_stream(server.port()));
  ASSERT_TRUE(wait_for_subscribers(server, dead));
  Witness witness(server.port(), events);
  const std::size_t memory = resident_bytes();
  std::size_t peak = memory;
  std::vector<steady_clock::time_point> answered;
  const std::string event = event_json(R"({"a":")" + std::string(50'000, 'x') + R"("})");
  HttpClient producer(server.port());
  for (std::uint64_t i = 0; i < events; ++i) {
    const auto response =
        producer.request("POST", "/v1/events", {{"Content-Type", "application/json"}}, event);
    ASSERT_EQ(response.status, 201) << response.body;
    answered.push_back(steady_clock::now());
    if (i % 50 == 0) peak = std::max(peak, resident_bytes());
  }
  const auto delays = witness.delays(answered);
  ASSERT_EQ(delays.size(), events);
  EXPECT_LT(delays[events / 2], seconds{1}) << "one who waited for the dead would wait two";
  // Were each to keep its own copy of what it may have pending, it would be a gibibyte.
  if (memory_is_measurable) {
    EXPECT_LT(peak, memory + (std::size_t{256} << 20U));
  }
  EXPECT_TRUE(wait_for_subscribers(server, 1)) << "all but the witness are cut";
  EXPECT_THAT(server.get("/metrics").body,
              HasSubstr("annals_subscriber_disconnects_total{reason=\"slow\"} 1000\n"));
}

// C7
TEST(DeadClients, FiftyThatStandStillLeaveTheWriteAheadLogSmall) {
  constexpr std::size_t stalled = 50;
  constexpr std::uint64_t events = 3000;
  RunningServer server{Backend::sqlite};
  std::vector<Fd> sockets;
  for (std::size_t i = 0; i < stalled; ++i)
    sockets.push_back(ask_for_stream(server.port()));
  ASSERT_TRUE(wait_for_subscribers(server, stalled));
  NewEvent event;
  event.type = "order.placed";
  event.payload = R"({"a":")" + std::string(20'000, 'x') + R"("})";
  const std::vector<NewEvent> batch(20, event);
  std::uintmax_t largest = 0;
  for (std::uint64_t i = 0; i < events; i += batch.size()) {
    ASSERT_TRUE(server.log().append(server.log().local_admin(), batch));
    largest = std::max(largest, server.write_ahead_log_bytes());
  }
  EXPECT_EQ(server.server().subscribers(), stalled) << "none was cut meanwhile";
  // A checkpoint comes after 1,500 pages of 8 KiB, and a group may be larger than what is left.
  EXPECT_LT(largest, std::uintmax_t{32} << 20U);
}

// S3
TEST(DeadClients, TenThousandThatCloseWhileTheyAreWrittenTo) {
  constexpr int clients = 10'000;
  constexpr int threads = 4;
  RunningServer server{Backend::sqlite};
  server.fill(2000);
  {
    std::vector<std::jthread> all;
    for (int thread = 0; thread < threads; ++thread) {
      all.emplace_back([&server] {
        for (int i = 0; i < clients / threads; ++i) {
          Fd socket = ask_for_stream(server.port());
          char first = 0;
          ASSERT_EQ(::recv(socket.get(), &first, 1, 0), 1) << "it is being written to";
          reset_connection(socket);
        }
      });
    }
  }
  EXPECT_TRUE(wait_for_subscribers(server, 0));
  server.append(event_json());
  SseClient alive{server.port(), "/v1/events/stream?after=0"};
  for (std::uint64_t seq = 1; seq <= 2001; ++seq)
    ASSERT_EQ(alive.next_frame()->seq(), seq);
}

// H9
TEST(CutClients, LoseAndRepeatNothing) {
  constexpr std::uint64_t events = 4000;
  RunningServer server{Backend::sqlite};
  TcpGate gate(server.port());
  std::jthread writer{[&] {
    for (std::uint64_t i = 0; i < events; i += 5)
      server.fill(5);
  }};
  Random random{seed()};
  std::uint64_t last = 0;
  std::size_t cuts = 0;
  while (last < events) {
    // Beyond the head of the answer, so that each connection makes some progress.
    gate.cut_after(GateSide::server, 2000 + random.between(0, 20'000));
    try {
      SseClient stream{gate.port(), "/v1/events/stream", {{"Last-Event-ID", std::to_string(last)}}};
      while (last < events) {
        const auto frame = stream.next_frame();
        if (!frame) break;
        if (!frame->event.empty()) continue;
        ASSERT_EQ(frame->seq(), last + 1);
        last = frame->seq();
      }
    } catch (const std::runtime_error&) {
      ++cuts;  // a reset
    }
  }
  EXPECT_GT(cuts, 20U);
}

}  // namespace
}  // namespace annals::test
