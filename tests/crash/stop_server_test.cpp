// SIGTERM while events are appended as fast as they go (S5): every stream ends behind a whole
// frame, and whoever resumes has everything.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "annals/open.hpp"
#include "testing/http_client.hpp"
#include "testing/server_process.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

using std::chrono::seconds;

/// Follows the log through one server after the other.
class Follower {
 public:
  [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

  /// Reads until the stream ends or `enough` says so.
  template <typename Enough>
  void follow(std::uint16_t port, Enough enough) {
    HttpClient client(port);
    client.send_request("GET", "/v1/events/stream?after=" + std::to_string(last_));
    (void)client.read_head();
    std::string block;
    while (!enough()) {
      const auto line = client.read_line();
      if (!line) break;
      if (!line->empty()) {
        block += *line + "\n";
        continue;
      }
      take(block);
      block.clear();
    }
    if (!block.empty()) throw std::runtime_error("half a frame: " + block);
  }

 private:
  void take(const std::string& block) {
    if (!block.starts_with("id: ")) return;
    const auto data = block.find("data: ");
    const auto event = nlohmann::json::parse(block.substr(data + 6));
    const auto seq = event.at("seq").get<std::uint64_t>();
    if (seq != last_ + 1) {
      throw std::runtime_error(std::to_string(seq) + " after " + std::to_string(last_));
    }
    last_ = seq;
  }

  std::uint64_t last_ = 0;
};

TEST(StopServer, AtFullRateEveryClientResumesComplete) {
  constexpr int rounds = 4;
  constexpr std::size_t followers = 8;
  const TempDir folder;
  const auto store = folder / "log.db";
  auto log = open("sqlite:" + store.string(), {});
  ASSERT_TRUE(log) << log.error().detail;

  std::atomic<bool> writing = true;
  std::atomic<std::uint64_t> head = 0;
  std::jthread writer([&] {
    NewEvent event;
    event.type = "order.placed";
    event.payload = R"({"total":12})";
    const std::vector<NewEvent> batch(100, event);
    while (writing) {
      const auto appended = (*log)->append((*log)->local_admin(), batch);
      ASSERT_TRUE(appended) << appended.error().detail;
      head = appended->receipt.head;
    }
  });
  std::vector<Follower> all(followers);
  const auto in_parallel = [&](auto&& body) {
    std::vector<std::jthread> threads;
    for (Follower& follower : all) {
      threads.emplace_back([&follower, &body] {
        try {
          body(follower);
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
        }
      });
    }
  };
  for (int round = 0; round < rounds; ++round) {
    ServerProcess server(store);
    const auto begun = head.load();
    std::jthread terminator([&] {
      // Some thousand events into the round.
      while (head < begun + 5000)
        std::this_thread::yield();
      server.process().signal(SIGTERM);
    });
    in_parallel([&](Follower& follower) { follower.follow(server.port(), [] { return false; }); });
    const auto ended = server.process().wait(seconds{30});
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->code, 0);
  }
  writing = false;
  writer.join();
  ServerProcess server(store);
  in_parallel([&](Follower& follower) {
    follower.follow(server.port(), [&] { return follower.last() == head; });
  });
  for (const Follower& follower : all)
    EXPECT_EQ(follower.last(), head);
}

}  // namespace
}  // namespace annals::test
