#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "cli/log_access.hpp"
#include "cli/streams.hpp"

namespace annals::cli {

/// Appends NDJSON: every line is a request of its own, many of them are under way at once and share
/// commits, and the answers are printed in the order of the lines as soon as they are there: the
/// number (or with `json` the answer) on standard output, a refused line on standard error. A
/// refused line does not stop the others. `append` and `finish` are called on one thread; a second
/// one prints. While it lives nothing else may use the output streams.
class LineAppender {
 public:
  struct Counts {
    std::uint64_t appended = 0;
    std::uint64_t duplicates = 0;
    std::uint64_t refused = 0;
  };

  LineAppender(Streams& streams, std::unique_ptr<LineSink> sink, bool json);
  LineAppender(const LineAppender&) = delete;
  LineAppender& operator=(const LineAppender&) = delete;
  /// Waits like `finish`.
  ~LineAppender();

  /// Appends the event of a line, counted from 1. Waits while too much is under way.
  void append(std::uint64_t number, std::string_view line);

  /// Answers a line that is not even tried.
  void refuse(std::uint64_t number, Error error);

  /// Waits until every line is answered and printed.
  Counts finish();

 private:
  struct Slot {
    std::uint64_t line = 0;
    std::size_t bytes = 0;
    std::optional<Result<AppendResult>> result;  // guarded by mutex_
  };

  std::shared_ptr<Slot> add_slot(std::uint64_t number, std::size_t bytes);
  void answer(Slot& slot, Result<AppendResult> result);
  void print_answers();
  void print(std::uint64_t line, const Result<AppendResult>& result);

  Streams& streams_;
  const std::unique_ptr<LineSink> sink_;
  const bool json_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Slot>> slots_;  // guarded by mutex_
  std::size_t bytes_ = 0;                    // guarded by mutex_
  bool ended_ = false;                       // guarded by mutex_
  Counts counts_;                            // of the printing thread until it has ended
  std::thread printer_;
};

}  // namespace annals::cli
