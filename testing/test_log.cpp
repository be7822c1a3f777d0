#include "testing/test_log.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "log/ports/store.hpp"
#include "store/memory/memory_log.hpp"
#include "store/memory/memory_store.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "testing/contract/raw_sqlite.hpp"

namespace annals::test {

std::ostream& operator<<(std::ostream& out, Backend backend) {
  return out << (backend == Backend::memory ? "memory" : "sqlite");
}

TestLog::TestLog(Backend backend, LogOptions options, std::shared_ptr<log::Clock> clock)
    : backend_(backend),
      options_(std::move(options)),
      clock_(std::move(clock)),
      memory_(std::make_shared<store::MemoryLog>()) {
  restart();
}

TestLog::~TestLog() = default;

void TestLog::restart() {
  log_.reset();
  log_ = std::make_unique<EventLog>(make_store(), options_, clock_);
  if (const auto opened = log_->open(); !opened) throw std::runtime_error(opened.error().detail);
}

void TestLog::keep_from(std::uint64_t seq) {
  if (backend_ == Backend::memory) {
    memory_->with([seq](store::MemoryData& data) { data.state->oldest = seq; });
    return;
  }
  RawSqlite{file()}.must("UPDATE annals_log_state SET oldest = " + std::to_string(seq));
}

std::unique_ptr<log::Store> TestLog::make_store() const {
  if (backend_ == Backend::memory) return std::make_unique<store::MemoryStore>(memory_);
  return std::make_unique<store::SqliteStore>(store::SqliteOptions{.path = file()});
}

}  // namespace annals::test
