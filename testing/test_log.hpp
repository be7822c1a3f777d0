#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>

#include "annals/event_log.hpp"
#include "annals/options.hpp"
#include "log/ports/clock.hpp"
#include "testing/temp_dir.hpp"

namespace annals::store {
class MemoryLog;
}

namespace annals::test {

/// The stores that every promise is tested on.
enum class Backend : std::uint8_t { memory, sqlite };

/// `memory`, `sqlite`: also what GoogleTest calls the parameter.
std::ostream& operator<<(std::ostream& out, Backend backend);

/// An open log on a new store, which can be restarted like a program: another `EventLog` on the
/// same content. Used on one thread; the log itself may be used on many.
class TestLog {
 public:
  /// Throws std::runtime_error when it cannot be opened.
  explicit TestLog(Backend backend, LogOptions options = {},
                   std::shared_ptr<log::Clock> clock = nullptr);
  TestLog(const TestLog&) = delete;
  TestLog& operator=(const TestLog&) = delete;
  ~TestLog();

  EventLog& operator*() noexcept { return *log_; }
  EventLog* operator->() noexcept { return log_.get(); }

  /// Stops the log and opens the store again with nothing in memory. References to the old log end.
  void restart();

  /// Makes `seq` the oldest event kept, as retention does, beside the open log. Throws
  /// std::runtime_error when the store refuses.
  void keep_from(std::uint64_t seq);

  /// The SQLite file; what lies beside it has its name and more.
  [[nodiscard]] std::filesystem::path file() const { return dir_ / "log.db"; }

 private:
  [[nodiscard]] std::unique_ptr<log::Store> make_store() const;

  Backend backend_;
  LogOptions options_;
  std::shared_ptr<log::Clock> clock_;
  TempDir dir_;
  std::shared_ptr<store::MemoryLog> memory_;
  std::unique_ptr<EventLog> log_;
};

}  // namespace annals::test
