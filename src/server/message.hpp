#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/address_range.hpp"
#include "annals/error.hpp"
#include "wire/problem.hpp"

namespace annals::server {

enum class Method : std::uint8_t { get, head, post, put, patch, del, options, other };

/// `GET`, `HEAD`, ...
[[nodiscard]] std::string_view to_string(Method method) noexcept;

/// One line of a head. Names of requests are in lower case.
struct Field {
  std::string name;
  std::string value;
};

/// A request as it was received. Plain value.
struct Request {
  Method method = Method::other;
  std::string path;   ///< Before the `?`, percent-encoded as sent.
  std::string query;  ///< After the `?`, as sent.
  std::vector<Field> fields;
  std::optional<std::uint64_t> content_length;  ///< Absent when chunked and when there is no body.
  bool chunked = false;
  bool http_1_1 = true;
  bool keep_alive = true;
  bool expects_continue = false;
  std::string body;
  std::optional<IpAddress> peer;  ///< Where it came from; absent when that is not known.

  /// The value of the first field with this lower-case name.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;

  /// How many fields have this lower-case name.
  [[nodiscard]] std::size_t count(std::string_view name) const noexcept;

  [[nodiscard]] bool has_body() const noexcept {
    return chunked || content_length.value_or(0) != 0;
  }
};

/// An answer with a body that is there whole. Plain value. Content-Length, Date and the headers
/// that every answer has are added when it is written.
struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<Field> fields;
  bool close = false;  ///< The connection ends after it.
};

/// `200 OK` and so on; the reason phrase of RFC 9110.
[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

/// The media type of a `Content-Type` or one element of `Accept`: lower case, without parameters.
[[nodiscard]] std::string media_type(std::string_view value);

/// True when an `Accept` header takes `type` (`a/b`, `a/*`, `*/*`; quality 0 refuses). An absent or
/// empty one takes everything.
[[nodiscard]] bool accepts(std::optional<std::string_view> accept, std::string_view type);

/// True when an `Accept` header names `type` itself, with a quality above 0.
[[nodiscard]] bool names(std::optional<std::string_view> accept, std::string_view type);

/// The answer to an error: its status, its problem document, `Retry-After` when repeating later may
/// help, `WWW-Authenticate` when a key is needed.
[[nodiscard]] Response problem(const Error& error);
[[nodiscard]] Response problem(wire::HttpCode code, std::string_view detail);

/// The head of an answer in bytes, with the empty line. `length` absent: the body ends with the
/// connection, or is chunked when `fields` say so.
[[nodiscard]] std::string head_bytes(const Response& response, std::optional<std::uint64_t> length,
                                     bool keep_alive);

}  // namespace annals::server
