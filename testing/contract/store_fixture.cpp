#include "testing/contract/store_fixture.hpp"

#include <mutex>
#include <set>

#include "store/memory/memory_log.hpp"
#include "store/memory/memory_store.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "testing/contract/raw_sqlite.hpp"
#include "testing/temp_dir.hpp"

namespace annals::test {
namespace {

class MemoryFixture final : public StoreFixture {
 public:
  std::unique_ptr<log::Store> make() override { return std::make_unique<store::MemoryStore>(log_); }

  void skip_to(std::uint64_t to) override {
    log_->with([&](store::MemoryData& data) {
      data.gaps.push_back({data.state->event_seq + 1, to, to + 1});
      data.state->event_seq = to;
    });
  }

  void cut(std::uint64_t oldest) override {
    log_->with([&](store::MemoryData& data) { data.state->oldest = oldest; });
  }

 private:
  std::shared_ptr<store::MemoryLog> log_ = std::make_shared<store::MemoryLog>();
};

/// Collects statements of all connections of all stores.
struct Trace {
  std::mutex mutex;
  std::set<std::string, std::less<>> statements;
};

Trace& trace() {
  static Trace collected;
  return collected;
}

void collect(std::string_view statement) {
  auto& collected = trace();
  const std::lock_guard lock(collected.mutex);
  if (!collected.statements.contains(statement)) collected.statements.emplace(statement);
}

class SqliteFixture final : public StoreFixture {
 public:
  [[nodiscard]] std::filesystem::path file() const override { return dir_ / "log.db"; }

  std::unique_ptr<log::Store> make() override {
    return std::make_unique<store::SqliteStore>(
        store::SqliteOptions{.path = file(), .statement_trace = collect});
  }

  void skip_to(std::uint64_t to) override {
    RawSqlite raw(file());
    raw.must("BEGIN IMMEDIATE");
    const auto next = raw.integer("SELECT event_seq + 1 FROM annals_log_state");
    raw.must("INSERT INTO annals_gaps VALUES (" + std::to_string(next) + ", " + std::to_string(to) +
             ", " + std::to_string(to + 1) + ")");
    raw.must("UPDATE annals_log_state SET event_seq = " + std::to_string(to));
    raw.must("COMMIT");
  }

  void cut(std::uint64_t oldest) override {
    RawSqlite raw(file());
    raw.must("UPDATE annals_log_state SET oldest = " + std::to_string(oldest));
  }

 private:
  TempDir dir_;
};

}  // namespace

StoreBackend memory_backend() {
  return {"memory", [] { return std::make_unique<MemoryFixture>(); }};
}

StoreBackend sqlite_backend() {
  return {"sqlite", [] { return std::make_unique<SqliteFixture>(); }};
}

std::vector<std::string> traced_statements() {
  auto& collected = trace();
  const std::lock_guard lock(collected.mutex);
  return {collected.statements.begin(), collected.statements.end()};
}

}  // namespace annals::test
