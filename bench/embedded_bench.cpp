// One measure of the embedded log, or of its floor, in a process of its own: script/bench runs them
// in turns. Prints one line of JSON. What was measured is checked: every event counted, the whole
// log verified.
//
//   embedded_bench MEASURE FOLDER [EVENTS]

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "annals/event_log.hpp"
#include "annals/open.hpp"

namespace {

using annals::EventLog;
using annals::NewEvent;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr std::size_t in_flight = 256;
constexpr std::size_t batch_size = 1000;
constexpr std::size_t streams = 1000;

void must(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "%s failed\n", what.c_str());
  std::exit(1);
}

double seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// 300 bytes of JSON, two labels, a channel, one of 1,000 streams.
NewEvent event(std::size_t number) {
  NewEvent event;
  event.type = "order.paid";
  event.stream = "order-" + std::to_string(number * 7919 % streams);
  event.scope.channel_id = "channel-" + std::to_string(number * 31 % 1000);
  event.labels = {{"country", "c" + std::to_string(number % 100)},
                  {"customer", "k" + std::to_string(number * 48271 % 100'000)}};
  event.payload = R"({"number":)" + std::to_string(number) + R"(,"text":")";
  event.payload.append(298 - event.payload.size(), static_cast<char>('a' + number % 26));
  event.payload += "\"}";
  return event;
}

std::vector<NewEvent> events(std::size_t first, std::size_t count) {
  std::vector<NewEvent> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(event(first + i));
  return all;
}

/// Times of single requests.
class Latencies {
 public:
  void add(Clock::duration time) { times_.push_back(seconds(time) * 1000); }

  /// Members of a JSON object.
  std::string json() {
    std::ranges::sort(times_);
    const auto at = [this](double share) {
      const auto index = static_cast<std::size_t>(share * static_cast<double>(times_.size()));
      return times_.empty() ? 0.0 : times_[std::min(index, times_.size() - 1)];
    };
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  R"(,"p50_ms":%.3f,"p95_ms":%.3f,"p99_ms":%.3f,"longest_ms":%.3f)", at(0.5),
                  at(0.95), at(0.99), at(1));
    return text.data();
  }

 private:
  std::vector<double> times_;
};

void report(std::size_t count, Clock::duration time, const std::string& more = {}) {
  std::printf(R"({"events":%zu,"seconds":%.4f,"rate":%.1f%s})"
              "\n",
              count, seconds(time), static_cast<double>(count) / seconds(time), more.c_str());
}

std::unique_ptr<EventLog> open_log(const fs::path& folder) {
  auto log = annals::open("sqlite:" + (folder / "log.db").string(), {});
  must(log.has_value(), "open");
  return std::move(*log);
}

/// Every event is there and the log proves itself.
void check(EventLog& log, std::size_t count) {
  const auto verified = log.verify({});
  must(verified && verified->clean() && verified->events == count, "verification");
}

// --- The log

void append_single(const fs::path& folder, std::size_t count) {
  const auto log = open_log(folder);
  Latencies latencies;
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    const auto sent = Clock::now();
    must(log->append(log->local_admin(), event(i)).has_value(), "append");
    latencies.add(Clock::now() - sent);
  }
  const auto time = Clock::now() - begin;
  check(*log, count);
  report(count, time, latencies.json());
}

/// Sends requests from one thread and keeps so many unanswered.
class Window {
 public:
  explicit Window(std::size_t most) : most_(most) {}

  void send(EventLog& log, std::vector<NewEvent> batch) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return open_ < most_; });
    ++open_;
    lock.unlock();
    log.append_async(log.local_admin(), std::move(batch), {},
                     [this, sent = Clock::now()](const annals::Result<annals::AppendResult>& done) {
                       const auto now = Clock::now();
                       must(done.has_value(), "append");
                       const std::lock_guard guard(mutex_);
                       latencies_.add(now - sent);
                       --open_;
                       if (open_ == 0 || open_ == most_ / 2) room_.notify_one();
                     });
  }

  std::string finish() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return open_ == 0; });
    return latencies_.json();
  }

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::size_t open_ = 0;
  Latencies latencies_;
};

void append_windowed(const fs::path& folder, std::size_t count, std::size_t window,
                     std::size_t size) {
  const auto log = open_log(folder);
  Window requests(window);
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < count; i += size)
    requests.send(*log, events(i, size));
  const auto latencies = requests.finish();
  const auto time = Clock::now() - begin;
  check(*log, count / size * size);
  report(count, time, latencies);
}

void append_threads(const fs::path& folder, std::size_t count) {
  const auto log = open_log(folder);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Latencies latencies;
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < in_flight; ++i) {
      threads.emplace_back([&] {
        for (auto number = next++; number < count; number = next++) {
          const auto sent = Clock::now();
          must(log->append(log->local_admin(), event(number)).has_value(), "append");
          const auto time = Clock::now() - sent;
          const std::lock_guard lock(mutex);
          latencies.add(time);
        }
      });
    }
  }
  const auto time = Clock::now() - begin;
  check(*log, count);
  report(count, time, latencies.json());
}

void read_forward(const fs::path& folder, std::size_t /*count*/) {
  const auto log = open_log(folder);
  std::uint64_t after = 0;
  std::size_t count = 0;
  const auto begin = Clock::now();
  for (;;) {
    const auto page = log->read({.after = after, .limit = 1000});
    must(page.has_value(), "read");
    for (const auto& record : page->records)
      must(record.header.seq == ++after, "order");
    count += page->records.size();
    if (page->caught_up) break;
  }
  report(count, Clock::now() - begin);
}

void verify(const fs::path& folder, std::size_t /*count*/) {
  const auto log = open_log(folder);
  const auto begin = Clock::now();
  const auto verified = log->verify({});
  must(verified && verified->clean(), "verification");
  report(verified->events, Clock::now() - begin);
}

/// Random values of a label that one in 100,000 events has, first page of each.
void find_rare(const fs::path& folder, std::size_t /*count*/) {
  const auto log = open_log(folder);
  constexpr std::size_t queries = 200;
  Latencies latencies;
  std::size_t found = 0;
  const auto head = log->state()->event_seq;
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < queries; ++i) {
    const auto value = "k" + std::to_string(i * 7 * 48271 % 100'000);
    const auto sent = Clock::now();
    const auto page = log->read(
        {.limit = 100, .filter = {.labels = {{"customer", value}}}, .max_scan = head + 1});
    latencies.add(Clock::now() - sent);
    must(page && page->caught_up, "filtered read");
    found += page->records.size();
  }
  report(queries, Clock::now() - begin, ",\"found\":" + std::to_string(found) + latencies.json());
}

// --- Floors

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
    sqlite3_bind_int64(insert_, 7, static_cast<sqlite3_int64>(number / streams));
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
    const auto batch = events(i, size);
    const auto begin = Clock::now();
    bare.write(batch, i);
    const auto time = Clock::now() - begin;
    total += time;
    latencies.add(time);
  }
  report(count, total, latencies.json());
}

/// Every column of every row of a log, through SQLite alone.
void bare_read(const fs::path& folder, std::size_t /*count*/) {
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

/// One block written over and over, each time with a sync.
void sync_only(const fs::path& folder, std::size_t count) {
  const int file = ::open((folder / "sync").c_str(), O_RDWR | O_CREAT, 0644);
  must(file >= 0, "open");
  const std::string block(8192, 'x');
  Latencies latencies;
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    const auto sent = Clock::now();
    must(::pwrite(file, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size()) &&
             ::fdatasync(file) == 0,
         "sync");
    latencies.add(Clock::now() - sent);
  }
  report(count, Clock::now() - begin, latencies.json());
  ::close(file);
}

using Measure = std::function<void(const fs::path&, std::size_t)>;

const std::map<std::string, Measure>& measures() {
  static const std::map<std::string, Measure> all{
      {"append-single", append_single},
      {"append-batch", [](const fs::path& folder,
                          std::size_t count) { append_windowed(folder, count, 4, batch_size); }},
      {"append-in-flight", [](const fs::path& folder,
                              std::size_t count) { append_windowed(folder, count, in_flight, 1); }},
      {"append-threads", append_threads},
      {"read", read_forward},
      {"verify", verify},
      {"find", find_rare},
      {"bare-single",
       [](const fs::path& folder, std::size_t count) { bare_write(folder, count, 1); }},
      {"bare-batch",
       [](const fs::path& folder, std::size_t count) { bare_write(folder, count, batch_size); }},
      {"bare-read", bare_read},
      {"sync", sync_only},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const auto found = argc >= 3 ? measures().find(argv[1]) : measures().end();
  if (found == measures().end()) {
    std::fprintf(stderr, "usage: embedded_bench MEASURE FOLDER [EVENTS]\nmeasures:\n");
    for (const auto& [name, measure] : measures())
      std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  found->second(argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 10'000);
  return 0;
}
