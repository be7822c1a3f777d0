// Whether the server says that delivery works.

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "store/memory/memory_store.hpp"
#include "testing/forwarding_store.hpp"
#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Holds the tail at its next read. Whoever reads first, and is not the test, is the tail: nothing
/// else reads by itself before the first request.
class TailHold {
 public:
  /// Runs before every read of the store.
  void on_read() {
    std::unique_lock lock(mutex_);
    if (std::this_thread::get_id() == test_) return;
    if (!tail_) {
      tail_ = std::this_thread::get_id();
      changed_.notify_all();
    }
    if (std::this_thread::get_id() != *tail_) return;
    changed_.wait(lock, [this] { return !held_; });
  }

  void wait_for_tail() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return tail_.has_value(); });
  }

  void hold(bool held) {
    const std::scoped_lock lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }

 private:
  const std::thread::id test_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::thread::id> tail_;
  bool held_ = false;
};

/// Lets the tail go on at the end of a test, however that comes about.
class Release {
 public:
  explicit Release(TailHold& tail) : tail_(tail) {}
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release() { tail_.hold(false); }

 private:
  TailHold& tail_;
};

TEST(Ready, ATailThatStandsStillIsRefused) {
  TailHold tail;
  auto probe = std::make_shared<StoreProbe>();
  probe->before_read = [&tail]() -> Result<void> {
    tail.on_read();
    return {};
  };
  EventLog log(std::make_unique<ForwardingStore>(std::make_unique<store::MemoryStore>(), probe),
               {});
  ASSERT_TRUE(log.open());
  server::ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.threads = 1;
  options.tail_poll_interval = milliseconds{20};
  options.tail_stall_timeout = milliseconds{100};
  server::Server server(log, options);
  const auto port = server.start();
  ASSERT_TRUE(port) << port.error().detail;
  const Release release(tail);
  tail.wait_for_tail();
  HttpClient client(*port);
  const auto readiness = [&client] { return client.request("GET", "/readyz"); };
  const auto wait_for = [&](int status) {
    const auto give_up = steady_clock::now() + client_patience;
    while (readiness().status != status && steady_clock::now() < give_up)
      std::this_thread::yield();
    return readiness();
  };
  EXPECT_EQ(readiness().status, 200);

  tail.hold(true);
  EXPECT_EQ(readiness().status, 200) << "nothing is behind yet";
  EXPECT_EQ(
      client.request("POST", "/v1/events", {{"Content-Type", "application/json"}}, event_json())
          .status,
      201)
      << "appends go on";
  const auto refused = wait_for(503);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(parsed(refused)["code"], "store_unavailable");
  EXPECT_EQ(client.request("GET", "/healthz").status, 200) << "it lives";
  EXPECT_EQ(client.request("GET", "/v1/events/1").status, 200) << "and answers";

  tail.hold(false);
  EXPECT_EQ(wait_for(200).status, 200);
  server.stop();
}

}  // namespace
}  // namespace annals::test
