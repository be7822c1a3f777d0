// An application with a history of its own: saved queries run, each run is an event, and most of
// them are a row that is written in the same transaction.
//
//   example_query_runs [FILE]

#include <chrono>
#include <cstddef>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "annals/open.hpp"
#include "database.hpp"
#include "history.hpp"

namespace {

using query_runs::Database;
using query_runs::History;
using query_runs::Run;
using std::chrono::steady_clock;

/// Of what runs by itself and goes well, the history keeps one in so many.
constexpr std::size_t keep_one_in = 2;

annals::Uuid new_id() {
  static std::random_device random;
  annals::Uuid id;
  for (auto& byte : id.bytes)
    byte = static_cast<std::uint8_t>(random());
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0f) | 0x40);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3f) | 0x80);
  return id;
}

/// The database that the queries run on.
Database make_shop() {
  Database shop(":memory:");
  shop.change("CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL)");
  shop.change("INSERT INTO orders (total) VALUES (12.50), (8.00), (99.90)");
  return shop;
}

/// Runs saved queries and keeps what came of them until the batch is written.
class Runner {
 public:
  Runner() : shop_(make_shop()) {}

  void run(const std::string& query, const std::string& kind, const std::string& sql) {
    Run run;
    run.id = new_id();
    run.query = query;
    run.kind = kind;
    run.connection = "shop";
    run.started_at =
        std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    const auto begun = steady_clock::now();
    const auto answer = shop_.ask(sql);
    run.duration_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begun).count();
    run.status = answer.code == SQLITE_OK ? "succeeded" : "failed";
    run.rows = answer.rows;
    // The message would tell the query, this tells its kind.
    if (answer.code != SQLITE_OK) run.error = sqlite3_errstr(answer.code);
    const bool routine = kind == "scheduled" && answer.code == SQLITE_OK;
    run.sampled = routine && routine_runs_++ % keep_one_in != 0;
    batch_.push_back(std::move(run));
  }

  std::vector<Run> take() { return std::exchange(batch_, {}); }

 private:
  Database shop_;
  std::size_t routine_runs_ = 0;
  std::vector<Run> batch_;
};

void print(const Run& run, const query_runs::Recorded& recorded) {
  std::cout << "event " << recorded.seq << ": " << run.query << ", " << run.kind << ", "
            << run.status << ", ";
  if (recorded.row) {
    std::cout << "and a row\n";
  } else {
    std::cout << "no row: " << (run.sampled ? "sampled out" : "the query is gone") << '\n';
  }
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

annals::Result<void> work(const std::string& file) {
  auto log = annals::open("sqlite:" + file);
  if (!log) return std::unexpected(log.error());
  auto declared = (*log)->apply_catalogue((*log)->local_admin(), read_file(QUERY_RUNS_CATALOGUE));
  if (!declared) return std::unexpected(declared.error());

  Database database(file);
  History history(database);
  if (history.create()) {
    std::cout << history.count(true) << " example rows, the log stands at event "
              << (*log)->state()->event_seq << '\n';
  }

  Runner runner;
  runner.run("daily-orders", "scheduled", "SELECT * FROM orders");
  runner.run("daily-orders", "scheduled", "SELECT * FROM orders");
  runner.run("late-orders", "scheduled", "SELECT * FROM orders WHERE is_late");
  history.save_query("draft", "SELECT max(total) FROM orders");
  runner.run("draft", "manual", "SELECT max(total) FROM orders");
  history.delete_query("draft");

  const auto runs = runner.take();
  const auto recorded = history.record(**log, runs);
  if (!recorded) return std::unexpected(recorded.error());
  for (std::size_t i = 0; i < runs.size(); ++i)
    print(runs[i], (*recorded)[i]);
  std::cout << history.count(false) << " rows and " << history.count(true)
            << " example rows in the history\n";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (const auto done = work(argc > 1 ? argv[1] : "runs.db"); !done) {
      std::cerr << to_string(done.error().code) << ": " << done.error().detail << '\n';
      return 1;
    }
  } catch (const std::exception& failed) {
    std::cerr << failed.what() << '\n';
    return 1;
  }
  return 0;
}
