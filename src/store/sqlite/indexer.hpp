#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "annals/log_state.hpp"
#include "annals/result.hpp"
#include "store/index/build_run.hpp"
#include "store/index/run_folder.hpp"
#include "store/sqlite/reader_pool.hpp"

namespace annals::store::sqlite {

/// Keeps the index beside a log: reads what is committed and not yet covered, writes it as runs and
/// merges runs that are many. On a thread of its own, of low priority, that starts when there is
/// something to do. Of all processes that use the log one indexes at a time, whichever comes first;
/// nobody waits for it. Thread-safe.
///
/// What it reads was committed with a sync, so no power failure gives an indexed number to another
/// event. A failure leaves things as they are; the next wake-up tries again.
class Indexer {
 public:
  /// No I/O. Everything given must outlive this.
  Indexer(ReaderPool& pool, index::RunFolder& folder) noexcept : pool_(pool), folder_(folder) {}
  Indexer(const Indexer&) = delete;
  Indexer& operator=(const Indexer&) = delete;
  ~Indexer() { close(); }

  /// The log is there: wake-ups are listened to from now on.
  void open(const Uuid& log_id);

  /// The log has grown to `head`. Starts the work when enough is not covered; `idle`: when it is
  /// little already.
  void wake(std::uint64_t head, bool idle) noexcept;

  /// Held while the work reads the log, some milliseconds at a time.
  std::mutex& reading() noexcept { return reading_; }

  /// Ends the work and waits for the thread. Idempotent.
  void close() noexcept;

 private:
  /// Numbers that no run covers, both ends included.
  struct Hole {
    std::uint64_t first;
    std::uint64_t last;
  };
  /// The log and its index at one moment.
  struct Seen {
    LogState state;
    std::shared_ptr<const index::RunList> runs;
  };
  enum class Tidy : std::uint8_t { no, yes };

  void run();
  /// Works until there is nothing left to do and returns the last number that is covered. `busy`
  /// when another process indexes.
  Result<std::uint64_t> work(std::uint64_t enough);
  Result<Seen> look(Tidy tidy);
  /// The first number that no run covers; behind the head when all are.
  static std::uint64_t first_uncovered(const Seen& seen);
  /// The first part of the log that is to be covered; at the head, only when it is `enough`.
  static std::optional<Hole> first_hole(const Seen& seen, std::uint64_t enough);
  /// Covers a hole, as far as there are rows. False when nothing was written.
  Result<bool> write_run(Hole hole);
  /// Adds the next rows up to `last` and moves `info` behind them. False when there are none.
  Result<bool> read_rows(index::RunBuilder& builder, index::RunInfo& info, std::uint64_t last);
  /// Makes one of many where it is due.
  Result<bool> merge(const index::RunList& runs);

  ReaderPool& pool_;
  index::RunFolder& folder_;
  Uuid log_id_;  ///< Written by `open`.
  std::mutex reading_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;  ///< Started under the mutex; joined by `close`, after which none starts.

  std::mutex mutex_;  ///< Protects everything below.
  std::condition_variable woken_;
  bool open_ = false;
  bool due_ = false;
  std::uint64_t enough_ = 0;   ///< Numbers not covered that are worth a run.
  std::uint64_t covered_ = 0;  ///< As the last work that succeeded left it.
  std::uint64_t tried_ = 0;    ///< The head when work began last.
};

}  // namespace annals::store::sqlite
