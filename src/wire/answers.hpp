#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "annals/append.hpp"
#include "annals/log_state.hpp"
#include "annals/options.hpp"
#include "annals/read.hpp"
#include "annals/result.hpp"
#include "annals/verify.hpp"
#include "wire/envelope.hpp"
#include "wire/format.hpp"

namespace annals::wire {

/// The answer to one event: `seq`, `id`, `stream_seq`, `hash`, `head`, `log_hash`, and what is
/// special about it (`duplicate`, `redacted`, `client_msg_id`). Only queued, it has `id` and
/// `durable: false`. `result` must hold exactly one event.
[[nodiscard]] std::string append_answer(const AppendResult& result);

/// The answer to an array: `events`, `head`, `log_hash`, and `duplicate` when all were known.
[[nodiscard]] std::string batch_answer(const AppendResult& result);

/// One line of the answer to NDJSON, with its newline: the answer to one event, or the problem,
/// each with the `line` it belongs to, counted from 1.
[[nodiscard]] std::string line_answer(std::uint64_t line, const Result<AppendResult>& result);

/// What a server says of itself and its log.
struct LogInfo {
  LogState state;
  EventOptions events;
  AppendLimits append;
  std::uint64_t page_max = 0;       ///< Most events of a page.
  std::uint64_t page_max_scan = 0;  ///< Most events looked at for a page.
  std::uint64_t wait_max_ms = 0;    ///< Longest long poll, milliseconds.
  std::string store;                ///< Kind of the store: `sqlite`, ...
  std::string store_version;
  int schema_version = 0;
  std::string durability;  ///< `full`, `unsafe` or `none`.
  std::string version;     ///< Of the program.
  bool open_mode = false;  ///< No key exists yet: everybody on this machine may do everything.
};

/// The body of `GET /v1/log`.
[[nodiscard]] std::string log_answer(const LogInfo& info);

/// The counters of a page, in the numbers of the log or of a stream.
struct PageEnd {
  std::uint64_t next_after = 0;              ///< The highest number looked at.
  std::optional<std::uint64_t> next_before;  ///< Backward: the lowest; absent at the page's end.
  std::uint64_t head = 0;
  std::uint64_t oldest = 1;
  Uuid log_id;
  bool caught_up = false;
};

/// The body of a page of events.
[[nodiscard]] Result<std::string> page_answer(std::span<const Record> records, Rendering rendering,
                                              const PageEnd& end, Format format = Format::envelope);

/// The members of one stream: `stream`, `version`, `hash`.
[[nodiscard]] std::string stream_answer(const StreamHead& head);

/// The body of a list of streams; `next_after` is the last name, absent when the list has ended.
[[nodiscard]] std::string streams_answer(std::span<const StreamHead> heads, bool ended);

/// The body of a page of one stream, by `stream_seq`; `head` of `end` is the stream's version.
[[nodiscard]] Result<std::string> stream_page_answer(std::string_view stream,
                                                     std::span<const Record> records,
                                                     Rendering rendering, const PageEnd& end);

/// What a verification comes to. One proven finding outweighs whatever could not be looked at.
enum class Verdict : std::uint8_t { clean, findings, could_not_verify };

/// The stable text, equal to the enumerator's name.
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

/// The verdict of a report.
[[nodiscard]] Verdict verdict_of(const VerifyReport& report) noexcept;

/// A report as one JSON object: `verdict`, the counters, `findings` up to the report's bound.
[[nodiscard]] std::string verify_answer(const VerifyReport& report);

}  // namespace annals::wire
