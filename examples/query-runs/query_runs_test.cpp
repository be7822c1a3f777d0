// The example as its users run it, and a server over the same file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testing/http_client.hpp"
#include "testing/process.hpp"
#include "testing/server_process.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  EXPECT_NE(value, nullptr) << name;
  return value == nullptr ? "" : value;
}

class QueryRuns : public ::testing::Test {
 protected:
  /// What the example prints.
  std::string run_example() const {
    const auto done = run({.command = {variable("ANNALS_EXAMPLE")}, .directory = folder_.path()});
    EXPECT_EQ(done.status.code, 0) << done.err;
    return done.out;
  }

  void serve() { server_.emplace(folder_ / "runs.db"); }

  HttpResponse get(const std::string& target) const {
    HttpClient client{server_->port()};
    return client.request("GET", target);
  }

  /// The queries of the events that a page of `query` has, in order.
  std::vector<std::string> queries(const std::string& query) const {
    const auto answer = get("/v1/events?" + query);
    EXPECT_EQ(answer.status, 200) << query << ' ' << answer.body;
    std::vector<std::string> out;
    const auto page = json::parse(answer.body);
    for (const auto& event : page["events"])
      out.push_back(event["labels"]["query"]);
    return out;
  }

  /// The first column of what a statement on the file gives.
  std::vector<std::string> rows(const char* sql) const {
    std::vector<std::string> out;
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open((folder_ / "runs.db").c_str(), &database), SQLITE_OK);
    const int code = sqlite3_exec(
        database, sql,
        [](void* into, int /*columns*/, char** values, char** /*names*/) {
          static_cast<std::vector<std::string>*>(into)->emplace_back(values[0]);
          return 0;
        },
        &out, nullptr);
    EXPECT_EQ(code, SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
    return out;
  }

  const TempDir folder_;
  std::optional<ServerProcess> server_;
};

TEST_F(QueryRuns, RowsAndEventsGoTogether) {
  EXPECT_EQ(run_example(),
            "3 example rows, the log stands at event 1\n"
            "event 2: daily-orders, scheduled, succeeded, and a row\n"
            "event 3: daily-orders, scheduled, succeeded, no row: sampled out\n"
            "event 4: late-orders, scheduled, failed, and a row\n"
            "event 5: draft, manual, succeeded, no row: the query is gone\n"
            "2 rows and 3 example rows in the history\n");
  EXPECT_THAT(run_example(), HasSubstr("event 9: draft")) << "the second goes on where it ended";
  EXPECT_THAT(rows("SELECT query || ' ' || status FROM runs WHERE NOT example ORDER BY rowid"),
              ElementsAre("daily-orders succeeded", "late-orders failed", "daily-orders succeeded",
                          "late-orders failed"));
  serve();
  EXPECT_THAT(queries("type=query.run.finished"),
              ElementsAre("daily-orders", "daily-orders", "late-orders", "draft", "daily-orders",
                          "daily-orders", "late-orders", "draft"))
      << "what never happened has no event, what happened has one, with a row or without";
  for (const auto& id : rows("SELECT id FROM runs WHERE NOT example"))
    EXPECT_EQ(get("/v1/events/" + id).status, 200) << id;
  const auto verified =
      run({.command = {variable("ANNALS_BINARY"), "verify", "--store", "sqlite:runs.db"},
           .directory = folder_.path()});
  EXPECT_EQ(verified.status.code, 0) << verified.out << verified.err;
}

TEST_F(QueryRuns, TheLabelsOfTheCatalogueAreFilters) {
  run_example();
  serve();
  EXPECT_THAT(queries("status=failed"), ElementsAre("late-orders"));
  EXPECT_THAT(queries("status=succeeded&kind=manual"), ElementsAre("draft"));
  EXPECT_THAT(queries("query=daily-orders&connection=shop"),
              ElementsAre("daily-orders", "daily-orders"));
  EXPECT_THAT(queries("connection=elsewhere"), IsEmpty());
  for (const std::string query : {"status=oops", "kind=", "status=failed&status=failed"}) {
    for (const std::string path : {"/v1/events?", "/v1/events/stream?"}) {
      const auto refused = get(path + query);
      EXPECT_EQ(refused.status, 400) << path << query;
      const auto problem = json::parse(refused.body);
      EXPECT_EQ(problem["code"], "invalid_filter") << path << query;
      EXPECT_THAT(problem["detail"].get<std::string>(),
                  HasSubstr(query.substr(0, query.find('='))));
    }
  }
}

TEST_F(QueryRuns, AStreamHasWhatAnotherProcessWrites) {
  run_example();
  serve();
  SseClient failures{server_->port(), "/v1/events/stream?from=oldest&status=failed"};
  EXPECT_EQ(failures.next_frame()->seq(), 4U);
  EXPECT_EQ(failures.next_frame()->event, "caught_up");
  run_example();
  auto live = failures.next_frame();
  while (live && live->event == "checkpoint")
    live = failures.next_frame();
  ASSERT_TRUE(live);
  EXPECT_EQ(live->seq(), 8U);
  EXPECT_EQ(json::parse(live->data)["labels"]["query"], "late-orders");
}

}  // namespace
}  // namespace annals::test
