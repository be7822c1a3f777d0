#pragma once

#include <optional>
#include <string_view>

#include "annals/append.hpp"
#include "annals/client_answers.hpp"
#include "annals/result.hpp"
#include "annals/verify.hpp"

namespace annals::wire {

// Bodies of successful answers, read as `answers.hpp` writes them. Members nobody knows are passed
// over; `nullopt` when the text is no such answer. Pure.

/// The answer to one event.
[[nodiscard]] std::optional<AppendResult> read_append_answer(std::string_view json);

/// The answer to an array.
[[nodiscard]] std::optional<AppendResult> read_batch_answer(std::string_view json);

/// One line of the answer to NDJSON: its number, and the result or the problem.
struct LineAnswer {
  std::uint64_t line = 0;
  Result<AppendResult> result;
};
[[nodiscard]] std::optional<LineAnswer> read_line_answer(std::string_view json);

[[nodiscard]] std::optional<EnvelopePage> read_page_answer(std::string_view json);
[[nodiscard]] std::optional<StreamEnvelopes> read_stream_page_answer(std::string_view json);
[[nodiscard]] std::optional<StreamHead> read_stream_answer(std::string_view json);
[[nodiscard]] std::optional<StreamList> read_streams_answer(std::string_view json);
[[nodiscard]] std::optional<ServerInfo> read_log_answer(std::string_view json);
[[nodiscard]] std::optional<VerifyReport> read_verify_answer(std::string_view json);

}  // namespace annals::wire
