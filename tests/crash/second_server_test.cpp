// One server per SQLite file: a second one refuses, and takes over as soon as the first has gone.

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "testing/http_client.hpp"
#include "testing/process.hpp"
#include "testing/server_process.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

TEST(SecondServer, RefusesWhileTheFirstLives) {
  const TempDir dir;
  const auto store = dir / "log.db";
  ServerProcess first(store);
  const auto second = run(serve_command(store));
  EXPECT_EQ(second.status, (ExitStatus{1, std::nullopt}));
  EXPECT_NE(second.err.find("server"), std::string::npos) << second.err;
  EXPECT_EQ(second.out, "");

  // The first has not noticed.
  HttpClient client(first.port());
  const auto answer = client.request("POST", "/v1/events", {{"Content-Type", "application/json"}},
                                     R"({"type":"order.placed"})");
  EXPECT_EQ(answer.status, 201) << answer.body;
}

TEST(SecondServer, TakesOverAfterAKill) {
  const TempDir dir;
  const auto store = dir / "log.db";
  for (int i = 0; i < 3; ++i) {
    ServerProcess server(store);
    EXPECT_EQ(HttpClient(server.port()).request("GET", "/healthz").status, 200);
    server.process().kill();
  }
}

TEST(SecondServer, RefusesWhileTheFirstStandsStill) {
  const TempDir dir;
  const auto store = dir / "log.db";
  ServerProcess first(store);
  first.process().pause();
  EXPECT_EQ(run(serve_command(store)).status, (ExitStatus{1, std::nullopt}));
  first.process().resume();
  EXPECT_EQ(HttpClient(first.port()).request("GET", "/healthz").status, 200);
}

}  // namespace
}  // namespace annals::test
