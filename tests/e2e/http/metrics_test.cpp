#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "tests/e2e/http/running_server.hpp"

namespace annals::test {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;

using Samples = std::map<std::string, double>;

Samples samples_of(const std::string& text) {
  Samples samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const auto space = line.rfind(' ');
    EXPECT_TRUE(samples.emplace(line.substr(0, space), std::stod(line.substr(space + 1))).second)
        << "twice: " << line;
  }
  return samples;
}

class Metrics : public testing::TestWithParam<Backend> {
 public:
  [[nodiscard]] Samples scrape() const {
    const auto answer = server.get("/metrics");
    EXPECT_EQ(answer.status, 200);
    return samples_of(answer.body);
  }

  /// Scrapes until a sample has a value; what is counted at the end of a request may come a moment
  /// after its answer.
  Samples scrape_until(const std::string& sample, double value) const {
    const auto deadline = std::chrono::steady_clock::now() + seconds{20};
    for (;;) {
      auto samples = scrape();
      if (samples[sample] == value) return samples;
      if (std::chrono::steady_clock::now() > deadline) {
        ADD_FAILURE() << sample << " is " << samples[sample] << ", not " << value;
        return samples;
      }
      std::this_thread::yield();
    }
  }

  RunningServer server{GetParam()};
};

TEST_P(Metrics, CountAppendsByTheTypesOfTheCatalogue) {
  ASSERT_TRUE(server.log().apply_catalogue(
      server.log().local_admin(), R"({"types":[{"pattern":"order.paid"},{"pattern":"mail.*"}]})"));
  server.append(R"({"type":"order.paid","id":"0199a0f0-0000-7000-8000-000000000001"})");
  server.append(R"([{"type":"order.paid"},{"type":"mail.sent"},{"type":"x.y"}])");
  // A repeat is no new event, a refusal none at all.
  server.append(R"({"type":"order.paid","id":"0199a0f0-0000-7000-8000-000000000001"})");
  server.append(R"({"type":"Bad Type"})");
  auto samples = scrape_until("annals_http_requests_total{code=\"400\"}", 1);
  EXPECT_EQ(samples["annals_events_appended_total{type=\"order.paid\"}"], 2);
  EXPECT_EQ(samples["annals_events_appended_total{type=\"mail.*\"}"], 1);
  EXPECT_EQ(samples["annals_events_appended_total{type=\"other\"}"], 1);
  EXPECT_EQ(samples["annals_commit_batch_events_sum"], 4);
  EXPECT_EQ(samples["annals_commit_batch_events_count"], 2);
  EXPECT_GE(samples["annals_seq_lock_wait_seconds_count"], 2);
  EXPECT_EQ(samples["annals_append_seconds_count"], 2);
  EXPECT_GT(samples["annals_append_seconds_sum"], 0);
  EXPECT_EQ(samples["annals_http_requests_total{code=\"201\"}"], 2);
  EXPECT_GE(samples["annals_http_requests_total{code=\"200\"}"], 1);
  EXPECT_EQ(samples["annals_head_seq"], 5);
  EXPECT_EQ(samples["annals_oldest_seq"], 1);
}

TEST_P(Metrics, CountWhatSubscribersGet) {
  server.fill(10);
  {
    SseClient stream{server.port(), "/v1/events/stream?after=4"};
    while (stream.next_frame()->event != "caught_up") {}
    for (int i = 0; i < 3; ++i) {
      server.append(event_json());
      EXPECT_EQ(stream.next_frame()->seq(), 11U + static_cast<unsigned>(i));
    }
    scrape_until("annals_events_delivered_total", 9);
    // The head follows when every sink is through.
    auto samples = scrape_until("annals_tail_head_seq", 13);
    EXPECT_EQ(samples["annals_events_replayed_total"], 6);
    EXPECT_EQ(samples["annals_delivery_lag_seconds_count"], 3);
    EXPECT_THAT(samples["annals_delivery_lag_seconds_sum"], AllOf(Ge(0), Lt(30)));
    EXPECT_EQ(samples.count("annals_tail_notify_age_seconds"), 1U);
    EXPECT_THAT(samples["annals_tail_notify_age_seconds"], AllOf(Ge(0), Lt(600)));
    EXPECT_EQ(samples["annals_subscribers"], 1);
    EXPECT_GE(samples["annals_connections"], 1);
  }
  auto samples = scrape_until("annals_subscriber_disconnects_total{reason=\"closed\"}", 1);
  EXPECT_EQ(samples["annals_subscribers"], 0);
}

TEST_P(Metrics, AreTextForPrometheus) {
  const auto answer = server.get("/metrics");
  EXPECT_EQ(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(answer.body, HasSubstr("# TYPE annals_append_seconds histogram\n"));
  EXPECT_EQ(server.get("/metrics?x=1").status, 400);
  EXPECT_EQ(server.request("POST", "/metrics").status, 405);
}

INSTANTIATE_TEST_SUITE_P(Backends, Metrics, testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

TEST(MetricsToken, IsAskedForWhenSet) {
  server::ServerOptions options;
  options.metrics_token = "a-token-of-tests-only";  // not a secret
  const RunningServer server{Backend::memory, options};
  EXPECT_EQ(server.get("/metrics").status, 401);
  for (const char* wrong : {"Bearer a-token-of-tests-onl", "Bearer ", "Basic a-token-of-tests-only",
                            "a-token-of-tests-only"}) {
    const auto refused = server.get("/metrics", {{"Authorization", wrong}});
    EXPECT_EQ(refused.status, 401) << wrong;
    EXPECT_THAT(refused.body, Not(HasSubstr("tests-only")));
  }
  EXPECT_EQ(server.get("/metrics", {{"Authorization", "Bearer a-token-of-tests-only"}}).status,
            200);
}

}  // namespace
}  // namespace annals::test
