// H10: browsers follow through a restart of the server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "annals/open.hpp"
#include "testing/event_source_fleet.hpp"
#include "testing/loopback.hpp"
#include "testing/sanitized.hpp"
#include "testing/server_process.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::Le;

/// Longer than anything here takes on any machine.
constexpr seconds patience{90};

/// A program with a sanitizer is ten times slower, and so is each of its connections.
constexpr std::size_t clients = sanitized ? 100 : 1000;

class Restart : public ::testing::Test {
 protected:
  Restart() {
    auto log = open("sqlite:" + store().string(), {});
    if (!log) throw std::runtime_error(log.error().detail);
    log_ = std::move(*log);
  }

  [[nodiscard]] std::filesystem::path store() const { return folder_ / "log.db"; }

  /// Beside the server, also while there is none.
  void append(std::size_t count) {
    NewEvent event;
    event.type = "order.placed";
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(log_->append(log_->local_admin(), event));
    head_ += count;
  }

  const TempDir folder_;
  std::unique_ptr<EventLog> log_;
  std::uint64_t head_ = 0;
};

TEST_F(Restart, AThousandBrowsersComeBackByThemselvesSpreadInTimeAndComplete) {
  std::optional<ServerProcess> server(store());
  append(5);
  EventSourceFleet fleet(server->port(), {.clients = clients});
  append(5);
  ASSERT_TRUE(fleet.wait_for_events(head_, patience)) << fleet.fault();

  std::uint16_t nobody = 0;
  const Fd reserved = reserve_port(nobody);
  fleet.target(nobody);
  server->process().signal(SIGTERM);
  const auto ended = server->process().wait(patience);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->code, 0);
  append(20);
  server.emplace(store());
  append(5);
  fleet.target(server->port());
  append(5);
  ASSERT_TRUE(fleet.wait_for_events(head_, patience)) << fleet.fault();
  EXPECT_EQ(fleet.events(), head_ * clients);

  const auto waits = fleet.waits();
  EXPECT_GE(waits.size(), clients) << "each has lost its connection";
  EXPECT_THAT(waits, Each(AllOf(Ge(milliseconds{1000}), Le(milliseconds{3000}))));
  const auto [shortest, longest] = std::ranges::minmax(waits);
  EXPECT_LT(shortest, milliseconds{1500});
  EXPECT_GT(longest, milliseconds{2500});
}

}  // namespace
}  // namespace annals::test
