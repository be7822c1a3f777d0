#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "annals/append.hpp"
#include "annals/client.hpp"
#include "annals/client_answers.hpp"
#include "annals/envelope.hpp"
#include "annals/follow.hpp"
#include "annals/read.hpp"
#include "annals/result.hpp"
#include "annals/verify.hpp"
#include "cli/failure.hpp"

namespace annals::cli {

// What commands need of a log, be it in a store or behind a server. Used on one thread.

/// An envelope does not say which part was erased: an empty payload is taken for the one.
[[nodiscard]] inline bool payload_erased(const Envelope& event) {
  return event.redacted && event.payload == "{}";
}

/// An event to be printed.
struct LoggedEvent {
  std::uint64_t seq = 0;
  std::string json;  ///< Its envelope, one line.
};

/// Where a log begins and ends.
struct Counters {
  std::uint64_t oldest = 1;
  std::uint64_t head = 0;
};

/// Which page is asked for. Forward: seq > after; backward: seq < before.
struct PageRange {
  std::uint64_t after = 0;
  std::uint64_t before = max_seq + 1;
  std::size_t limit = 100;
  Order order = Order::forward;
};

/// A page of the events that match.
struct LoggedPage {
  std::vector<LoggedEvent> events;
  std::uint64_t scanned = 0;  ///< How far the page looked, as `annals::Page` has it.
  std::uint64_t oldest = 1;
  bool caught_up = false;
};

/// Events that match, as they come.
class LiveEvents {
 public:
  virtual ~LiveEvents() = default;

  /// Those that are there, waiting for the first up to `wait`; perhaps none. `resync_required` when
  /// the position cannot be continued.
  virtual Result<std::vector<LoggedEvent>> next(std::chrono::milliseconds wait) = 0;
};

/// The events of a log that match a filter.
class EventReader {
 public:
  virtual ~EventReader() = default;

  virtual Result<Counters> counters() = 0;

  /// A page. `resync_required` when a forward `after` other than 0 cannot be continued.
  virtual Result<LoggedPage> page(const PageRange& range) = 0;

  /// Everything after a number, and what is still to come. The reader outlives it.
  virtual std::unique_ptr<LiveEvents> live(std::uint64_t after) = 0;
};

/// Takes events one by one, each a request of its own, many of them under way at once.
class LineSink {
 public:
  /// Called once for each line, on any thread; not to call back.
  using Done = std::function<void(Result<AppendResult>)>;

  virtual ~LineSink() = default;

  /// Appends the event of a line that is not blank.
  virtual void append(std::string_view line, Done done) = 0;

  /// Waits until every line is answered.
  virtual void finish() = 0;
};

/// How a user names an event.
using EventName = std::variant<std::uint64_t, Uuid>;

/// An event as people look at it: its envelope, and what that leaves out.
struct EventDetails {
  LoggedEvent event;
  std::string receive_action;
  Uuid key_id;
  std::optional<std::string> audience;   ///< Where it may be known.
  std::optional<Timestamp> redacted_at;  ///< The same.
  std::optional<Digest> prev_hash;
  Digest row_hash{};
  bool payload_erased = false;
};

/// A log.
class LogAccess {
 public:
  virtual ~LogAccess() = default;

  /// The events that match; `filters` are parameters of the API.
  virtual Outcome<std::unique_ptr<EventReader>> events(const Filters& filters) = 0;

  virtual Result<LoggedEvent> find(const EventName& name) = 0;
  virtual Result<EventDetails> details(const EventName& name) = 0;

  /// The exact bytes of a part, with `hashed` behind the previous hash or salt.
  virtual Result<std::string> form(const EventName& name, Form form, bool hashed) = 0;

  virtual Result<std::vector<StreamHead>> streams(std::string_view prefix, std::string_view after,
                                                  std::size_t limit) = 0;

  virtual Outcome<VerifyReport> verify(const VerifyOptions& options,
                                       const VerifyProgress& progress) = 0;

  virtual Result<AppendResult> append(NewEvent event, AppendOptions options) = 0;

  /// One event or an array, all or nothing.
  virtual Result<DocumentResult> append_document(std::string_view json, AppendOptions options) = 0;

  virtual Result<std::unique_ptr<LineSink>> append_lines(AppendOptions options) = 0;
};

}  // namespace annals::cli
