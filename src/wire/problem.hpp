#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "annals/error.hpp"

namespace annals::wire {

/// Failures that only HTTP has. The names are the `code` of problem documents, like those of
/// `ErrorCode`.
enum class HttpCode : std::uint8_t {
  method_not_allowed,      ///< 405; the answer's `Allow` names the methods.
  not_acceptable,          ///< 406; no rendering that `Accept` takes.
  request_timeout,         ///< 408; the request did not arrive in time.
  unsupported_media_type,  ///< 415; the body's `Content-Type` is not one the route takes.
  expectation_failed,      ///< 417; an `Expect` other than `100-continue`.
  header_too_large,        ///< 431; the head of the request exceeds its bounds.
  not_reached,             ///< 503; the log has not got as far as `min_seq` in time.
};

/// The content type of problem documents.
inline constexpr std::string_view problem_content_type = "application/problem+json";

/// The status of an error code.
[[nodiscard]] int http_status(ErrorCode code) noexcept;
[[nodiscard]] int http_status(HttpCode code) noexcept;

/// The stable text, equal to the enumerator's name.
[[nodiscard]] std::string_view to_string(HttpCode code) noexcept;

/// The problem document (RFC 9457) of an error: `type` (`/problems/<code>`), `title`, `status`,
/// `code`, `detail`, and the members of its details. One line of well-formed JSON whatever the
/// detail's bytes are. Pure.
[[nodiscard]] std::string problem_json(const Error& error);
[[nodiscard]] std::string problem_json(HttpCode code, std::string_view detail);

/// Appends the members of the problem document without the brackets, for a line of an NDJSON
/// answer.
void append_problem_members(std::string& out, const Error& error);

}  // namespace annals::wire
