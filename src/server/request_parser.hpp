#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/message.hpp"

namespace annals::server {

/// Bounds of a request's head.
struct HeadLimits {
  std::size_t max_bytes = 0;
  std::size_t max_lines = 0;
};

/// Reads one HTTP/1.x request from bytes as they arrive, without a socket. Refuses what two readers
/// could understand differently: several Content-Length fields, one beside Transfer-Encoding, other
/// encodings than chunked, no or several Host fields. Used on one thread; one object per request.
class RequestParser {
 public:
  explicit RequestParser(const HeadLimits& limits);
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  /// Reads from the front of `input` and returns how many bytes are used up; the rest has to be
  /// given again, with more behind it. Stops after the head, and at the end of the request. After a
  /// failure nothing is read any more.
  std::size_t put(std::string_view input);

  [[nodiscard]] bool head_done() const noexcept { return head_done_; }
  [[nodiscard]] bool done() const noexcept;

  /// Why the request is refused: an answer to send before the connection is closed.
  [[nodiscard]] const std::optional<Response>& failure() const noexcept { return failure_; }

  /// The request's head; its body is empty. Valid after `head_done`.
  [[nodiscard]] Request& request() noexcept { return request_; }

  /// The bytes of the body that arrived since the last call.
  [[nodiscard]] std::string take_body();

 private:
  struct Impl;

  void fail(Response response) { failure_ = std::move(response); }
  void finish_head();
  void check_framing();

  HeadLimits limits_;
  std::unique_ptr<Impl> impl_;
  Request request_;
  std::optional<Response> failure_;
  bool head_done_ = false;
};

}  // namespace annals::server
