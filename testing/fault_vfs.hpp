#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace annals::test {

/// Stands between SQLite and the file system of this process while it lives, and makes operations
/// on files fail as a disk would: the n-th one from now, once or for good. Databases must be opened
/// after it is made and closed before it is gone; one at a time. Thread-safe.
class FaultVfs {
 public:
  enum class Operation : std::uint8_t { write, sync, truncate };

  /// What SQLite is told.
  enum class Failure : std::uint8_t {
    full,  ///< No space left; nothing is written.
    io,    ///< An I/O error; a sync has not happened, a write is torn in the middle.
  };

  /// Becomes the file system of every database that is opened from now on.
  FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs();

  /// Lets the `nth` operation of its kind from now fail, 1 being the next, and with `for_good` all
  /// after it. One fault at a time; replaces the one before.
  void fail(Operation operation, std::uint64_t nth, Failure failure, bool for_good);

  /// Nothing fails any more.
  void heal();

  /// How many operations have failed since `fail`.
  [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }

  /// How many operations there were in all.
  [[nodiscard]] std::uint64_t count(Operation operation) const noexcept;

  /// Called by the file system; SQLite's result code, 0 when the operation may go on.
  int judge(Operation operation) noexcept;

 private:
  struct Hooks;

  std::unique_ptr<Hooks> hooks_;
  std::atomic<std::uint64_t> counts_[3] = {};
  std::atomic<bool> armed_ = false;
  std::atomic<Operation> operation_ = Operation::write;
  std::atomic<Failure> failure_ = Failure::io;
  std::atomic<std::uint64_t> at_ = 0;
  std::atomic<bool> for_good_ = false;
  std::atomic<std::uint64_t> failed_ = 0;
};

}  // namespace annals::test
