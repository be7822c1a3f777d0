// A1: a key is revoked by another process while its streams are open and events are appended.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "annals/open.hpp"
#include "testing/http_client.hpp"
#include "testing/server_process.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

class Revocation : public ::testing::Test {
 protected:
  Revocation() {
    auto log = open("sqlite:" + store().string(), {});
    if (!log) throw std::runtime_error(log.error().detail);
    log_ = std::move(*log);
  }

  [[nodiscard]] std::filesystem::path store() const { return folder_ / "log.db"; }

  HttpClient::Fields key(const std::string& name) {
    NewKey wanted;
    wanted.name = name;
    wanted.read = {ReadGrant::all()};
    const auto made = log_->create_key(log_->local_admin(), wanted);
    if (!made) throw std::runtime_error(made.error().detail);
    return {{"X-API-Key", made->secret}};
  }

  const TempDir folder_;
  std::unique_ptr<EventLog> log_;
};

/// Reads up to the frame `revoked` and the end behind it; the last event before.
std::uint64_t read_to_revoked(SseClient& stream) {
  std::uint64_t last = 0;
  for (;;) {
    const auto frame = stream.next_frame();
    if (!frame) throw std::runtime_error("it ended without a word");
    if (frame->event == "revoked") {
      EXPECT_FALSE(frame->id);
      break;
    }
    if (frame->event.empty()) last = frame->seq();
  }
  EXPECT_FALSE(stream.next_frame()) << "nothing comes behind it";
  return last;
}

TEST_F(Revocation, NothingThatCameAfterItIsDelivered) {
  const auto lost = key("lost");
  const auto kept = key("kept");
  ServerProcess server(store());
  std::vector<SseClient> streams;
  streams.emplace_back(server.port(), "/v1/events/stream?from=oldest", lost);
  streams.emplace_back(server.port(), "/v1/events/stream?from=oldest&type=order.*", lost);
  SseClient other(server.port(), "/v1/events/stream?from=oldest", kept);
  std::jthread writer([&](const std::stop_token& done) {
    NewEvent event;
    event.type = "order.placed";
    while (!done.stop_requested())
      ASSERT_TRUE(log_->append(log_->local_admin(), event));
  });
  // It is live, and events are on their way.
  std::uint64_t seen = 0;
  while (seen < 50) {
    const auto frame = streams.front().next_frame();
    ASSERT_TRUE(frame);
    seen = frame->seq();
  }
  ASSERT_TRUE(log_->revoke_key(log_->local_admin(), "lost"));
  const auto told = log_->read({.limit = 1, .filter = {.type = "access.key_revoked"}});
  ASSERT_TRUE(told && told->records.size() == 1);
  for (auto& stream : streams)
    EXPECT_LT(read_to_revoked(stream), told->records.front().header.seq);
  writer.request_stop();
  writer.join();
  for (std::uint64_t next = 1; next <= log_->state()->event_seq;) {
    const auto frame = other.next_frame();
    ASSERT_TRUE(frame);
    if (!frame->event.empty()) continue;
    EXPECT_EQ(frame->seq(), next);
    ++next;
  }
  // What stops an EventSource, so that it does not come back again and again.
  HttpClient again(server.port());
  EXPECT_EQ(again.request("GET", "/v1/events/stream", lost).status, 401);
}

}  // namespace
}  // namespace annals::test
