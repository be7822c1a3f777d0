// Floors of the measures of `annals bench`, in a process of their own: script/bench runs them in
// turns with it. Prints one line of JSON like it.
//
//   floor_bench bare-single|bare-batch|bare-read FOLDER [ROWS]

#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/latencies.hpp"
#include "bench/measuring.hpp"
#include "bench/sample_events.hpp"

namespace {

using annals::NewEvent;
using annals::bench::Clock;
using annals::bench::json_of;
using annals::bench::Latencies;
using annals::bench::must;
using annals::bench::report;
using annals::bench::sample_events;
using annals::bench::usual_streams;
namespace fs = std::filesystem;

/// A table with nothing but its rows, same page size, settings and checkpoints as the store.
class Bare {
 public:
  explicit Bare(const fs::path& path) {
    must(sqlite3_open(path.c_str(), &database_) == SQLITE_OK, "bare open");
    run("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 0;"
        "PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -32768;"
        "CREATE TABLE t (seq INTEGER PRIMARY KEY, id, type, occurred_at, recorded_at, stream,"
        " stream_seq, channel, kind, action, key, prev, row, salt, salt2, meta, payload)");
    sqlite3_prepare_v2(database_, "INSERT INTO t VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1,
                       &insert_, nullptr);
    sqlite3_wal_hook(
        database_,
        [](void* out, sqlite3*, const char*, int pages) {
          *static_cast<int*>(out) = pages;
          return SQLITE_OK;
        },
        &pages_);
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;
  ~Bare() {
    sqlite3_finalize(insert_);
    sqlite3_close(database_);
  }

  void write(const std::vector<NewEvent>& batch, std::size_t first) {
    run("BEGIN IMMEDIATE");
    for (std::size_t i = 0; i < batch.size(); ++i)
      insert(batch[i], first + i);
    run("COMMIT");
    if (pages_ < 1500) return;
    sqlite3_wal_checkpoint_v2(database_, nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
    pages_ = 0;
  }

 private:
  void run(const char* sql) {
    must(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql);
  }

  void text(int index, std::string_view value) {
    sqlite3_bind_text(insert_, index, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  }

  void insert(const NewEvent& event, std::size_t number) {
    static const std::string filler(64, 'x');
    static const std::string meta = R"({"labels":{"country":"c12","customer":"k12345"}})";
    sqlite3_bind_int64(insert_, 1, static_cast<sqlite3_int64>(number) + 1);
    sqlite3_bind_blob(insert_, 2, filler.data(), 16, SQLITE_STATIC);
    text(3, event.type);
    sqlite3_bind_int64(insert_, 4, 1'800'000'000'000'000);
    sqlite3_bind_int64(insert_, 5, 1'800'000'000'000'000);
    text(6, *event.stream);
    sqlite3_bind_int64(insert_, 7, static_cast<sqlite3_int64>(number / usual_streams));
    text(8, *event.scope.channel_id);
    text(9, "event");
    text(10, "read");
    sqlite3_bind_blob(insert_, 11, filler.data(), 16, SQLITE_STATIC);
    sqlite3_bind_blob(insert_, 12, filler.data(), 32, SQLITE_STATIC);
    sqlite3_bind_blob(insert_, 13, filler.data(), 32, SQLITE_STATIC);
    sqlite3_bind_blob(insert_, 14, filler.data(), 16, SQLITE_STATIC);
    sqlite3_bind_blob(insert_, 15, filler.data(), 16, SQLITE_STATIC);
    text(16, meta);
    text(17, event.payload);
    must(sqlite3_step(insert_) == SQLITE_DONE, "bare insert");
    sqlite3_reset(insert_);
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  int pages_ = 0;
};

/// Rows as prepared before, so that making them is not measured.
void bare_write(const fs::path& folder, std::size_t count, std::size_t size) {
  Bare bare(folder / "bare.db");
  Latencies latencies;
  Clock::duration total{};
  for (std::size_t i = 0; i < count; i += size) {
    const auto batch = sample_events(i, size);
    const auto begin = Clock::now();
    bare.write(batch, i);
    const auto time = Clock::now() - begin;
    total += time;
    latencies.add(time);
  }
  report(count, total, json_of(latencies.percentiles()));
}

/// Every column of every row of a log, through SQLite alone.
void bare_read(const fs::path& folder) {
  sqlite3* database = nullptr;
  must(sqlite3_open((folder / "log.db").c_str(), &database) == SQLITE_OK, "bare open");
  sqlite3_stmt* query = nullptr;
  sqlite3_prepare_v2(database, "SELECT * FROM annals_events ORDER BY seq", -1, &query, nullptr);
  std::size_t count = 0;
  std::size_t bytes = 0;
  const auto begin = Clock::now();
  while (sqlite3_step(query) == SQLITE_ROW) {
    ++count;
    for (int column = 0; column < sqlite3_column_count(query); ++column) {
      const auto* value = static_cast<const char*>(sqlite3_column_blob(query, column));
      if (value != nullptr) bytes += static_cast<unsigned char>(*value);
    }
  }
  const auto time = Clock::now() - begin;
  sqlite3_finalize(query);
  sqlite3_close(database);
  must(bytes > 0, "bare read");
  report(count, time);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view measure = argc >= 3 ? argv[1] : "";
  const std::size_t count = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 10'000;
  constexpr std::size_t batch = 1000;
  if (measure == "bare-single") {
    bare_write(argv[2], count, 1);
  } else if (measure == "bare-batch") {
    bare_write(argv[2], count, batch);
  } else if (measure == "bare-read") {
    bare_read(argv[2]);
  } else {
    std::fputs("usage: floor_bench bare-single|bare-batch|bare-read FOLDER [ROWS]\n", stderr);
    return 2;
  }
  return 0;
}
