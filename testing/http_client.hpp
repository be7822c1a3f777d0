#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/fd.hpp"

namespace annals::test {

/// Longest wait of a client for anything; only a fault reaches it.
inline constexpr std::chrono::milliseconds client_patience{30'000};

/// An answer as received, its body decoded.
struct HttpResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;  ///< Names in lower case.
  std::string body;

  /// The first value of a field with this lower-case name; empty when there is none.
  [[nodiscard]] std::string header(std::string_view name) const;
};

/// A plain connection to a port of 127.0.0.1 that sends any bytes and reads answers one by one.
/// Blocks, with a deadline on every wait; throws std::runtime_error when it passes, when the
/// connection breaks, or when what arrives is not HTTP. Used on one thread.
class HttpClient {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit HttpClient(std::uint16_t port, std::chrono::milliseconds patience = client_patience);

  /// Sends all bytes as they are.
  void send(std::string_view bytes);

  /// Sends what the socket takes now, and returns how many bytes that were.
  std::size_t send_some(std::string_view bytes);

  /// Sends a request with Host and, when there is a body, Content-Length.
  void send_request(std::string_view method, std::string_view target, const Fields& fields = {},
                    std::string_view body = {});

  /// Reads one answer. That of a HEAD request has no body.
  HttpResponse read_response(bool to_head = false);

  /// Sends a request and reads its answer.
  HttpResponse request(std::string_view method, std::string_view target, const Fields& fields = {},
                       std::string_view body = {});

  /// Reads the head of an answer only.
  HttpResponse read_head();

  /// The next line of a body without its LF; `nullopt` at the end of the connection.
  std::optional<std::string> read_line();

  /// Exactly `size` bytes.
  std::string read_exactly(std::size_t size);

  /// Everything until the peer closes.
  std::string read_to_end();

  /// True when the peer has closed in order, nothing being left.
  bool at_end();

  /// Closes the sending direction.
  void finish_sending();

  /// Closes the connection; with `reset`, with RST.
  void close(bool reset = false);

 private:
  bool fill();
  std::string read_chunked();

  std::chrono::milliseconds patience_;
  Fd socket_;
  std::string buffer_;
};

/// The block of an event stream.
struct SseBlock {
  std::string event;  ///< Empty for an event of the log.
  std::optional<std::string> id;
  std::string data;
  std::string comment;
  std::optional<std::uint64_t> retry;

  /// `id` as a number; 0 when there is none.
  [[nodiscard]] std::uint64_t seq() const;
};

/// A subscriber: reads an event stream block by block. As `HttpClient` otherwise.
class SseClient {
 public:
  /// Asks for `target` and reads the head of the answer.
  SseClient(std::uint16_t port, std::string_view target, const HttpClient::Fields& fields = {},
            std::chrono::milliseconds patience = client_patience);

  [[nodiscard]] const HttpResponse& head() const noexcept { return head_; }

  /// The next block, comments included; `nullopt` when the stream has ended.
  std::optional<SseBlock> next();

  /// The next block that is an event of the log or a control frame.
  std::optional<SseBlock> next_frame();

  void close(bool reset = false) { http_.close(reset); }

 private:
  HttpClient http_;
  HttpResponse head_;
};

}  // namespace annals::test
