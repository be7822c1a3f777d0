#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace annals::server {

/// What is logged of a request: never a key, a query or anything of a body.
struct RequestLine {
  std::string_view method;
  std::string path;  ///< Percent-encoded as sent.
  int status = 0;
  std::uint64_t bytes = 0;  ///< Of the answer.
  std::chrono::steady_clock::time_point begun;
  std::string key_id;          ///< Empty when nobody was authenticated.
  std::string correlation_id;  ///< The trace id of `traceparent`; empty without one.
  std::string_view reason;     ///< Streams: why it ended.
};

/// The line as `request method=GET path=...`, for people.
[[nodiscard]] std::string as_text(const RequestLine& line, std::chrono::microseconds took);

/// The line as a JSON object with the same members.
[[nodiscard]] std::string as_json(const RequestLine& line, std::chrono::microseconds took);

/// Takes one line per request. Called from several threads.
using RequestLog = std::function<void(const RequestLine&)>;

}  // namespace annals::server
