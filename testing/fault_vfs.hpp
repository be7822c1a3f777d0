#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "testing/disk_file.hpp"

namespace annals::test {

/// Stands between SQLite and the file system of this process while it lives, and makes operations
/// on files fail as a disk would: the n-th one from now, once or for good; or everything from a
/// power cut on. Databases must be opened after it is made and closed before it is gone; one at a
/// time. Thread-safe, but for `restore`.
class FaultVfs {
 public:
  enum class Operation : std::uint8_t { write, sync, truncate };

  /// What SQLite is told.
  enum class Failure : std::uint8_t {
    full,  ///< No space left; nothing is written.
    io,    ///< An I/O error; a sync has not happened, a write is torn in the middle.
  };

  /// What files are kept on.
  enum class Disk : std::uint8_t {
    real,       ///< The real one.
    simulated,  ///< One that keeps what was synced, and can lose its power. Real syncs are left
                ///< out. Names (create, link, remove) are kept at once.
  };

  /// Where in a sync the power goes.
  enum class Moment : std::uint8_t {
    before,  ///< Nothing of it has happened.
    after,   ///< It has happened, and nobody learns of it.
  };

  /// Becomes the file system of every database that is opened from now on.
  explicit FaultVfs(Disk disk = Disk::real);
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs();

  /// Lets the `nth` operation of its kind from now fail, 1 being the next, and with `for_good` all
  /// after it. One fault at a time; replaces the one before.
  void fail(Operation operation, std::uint64_t nth, Failure failure, bool for_good);

  /// Nothing fails any more. Brings no power back.
  void heal();

  /// How many operations have failed since `fail`.
  [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }

  /// How many operations there were in all.
  [[nodiscard]] std::uint64_t count(Operation operation) const noexcept;

  /// Power goes at the `nth` sync from now, 1 being the next: from then on every operation on files
  /// fails, reading, locking and opening included. Needs the simulated disk.
  void cut_power(std::uint64_t nth, Moment moment);

  /// Power goes now.
  void cut_power();

  /// False between a power cut and `restore`.
  [[nodiscard]] bool has_power() const noexcept { return power_; }

  /// Power comes back, and files are what the cut left of them; shared memory is gone. `seed`
  /// decides what is torn. Throws std::logic_error while a database is open.
  void restore(Survivors survivors, std::uint64_t seed = 0);

  /// Called by the file system; SQLite's result code, 0 when the operation may go on.
  int judge(Operation operation) noexcept;

  /// Called by the file system at both moments of each sync; whether there is power then.
  bool sync_passes(Moment moment) noexcept;

  /// Called by the file system: counts a file just opened; the simulated disk's view of it, null on
  /// the real one, valid as long as this. Throws std::system_error.
  DiskFile* opened(const std::string& path);

  /// Called by the file system: a file that `opened` has counted is closed.
  void closed() noexcept { --open_files_; }

 private:
  struct Hooks;

  std::unique_ptr<Hooks> hooks_;
  const Disk disk_;
  std::atomic<std::uint64_t> counts_[3] = {};
  std::atomic<bool> armed_ = false;
  std::atomic<Operation> operation_ = Operation::write;
  std::atomic<Failure> failure_ = Failure::io;
  std::atomic<std::uint64_t> at_ = 0;
  std::atomic<bool> for_good_ = false;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<bool> power_ = true;
  std::atomic<std::uint64_t> cut_at_ = 0;  ///< Number of the sync; 0: none.
  std::atomic<Moment> cut_moment_ = Moment::before;
  std::atomic<int> open_files_ = 0;
};

}  // namespace annals::test
