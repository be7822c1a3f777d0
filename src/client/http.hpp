#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "annals/result.hpp"
#include "client/connection.hpp"
#include "client/endpoint.hpp"
#include "client/request.hpp"
#include "client/response_reader.hpp"

namespace annals::client {

/// Requests to a server, one after the other, over a connection that is kept and made anew when it
/// was lost. Used on one thread.
class Http {
 public:
  explicit Http(std::shared_ptr<const Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  /// Sends a request and gives the body of a successful answer. A repeatable request is sent again,
  /// once, when a kept connection turns out to be lost. Errors: the server's; `store_unavailable`
  /// when it was not sent; `commit_unknown` when it was and no answer came, which a caller that
  /// only reads has to call `store_unavailable`.
  Result<std::string> call(const Request& request);

  /// `call` for what only reads.
  Result<std::string> get(const Request& request);

  [[nodiscard]] const Endpoint& endpoint() const noexcept { return *endpoint_; }

 private:
  /// An answer whose status may be anything.
  struct Answer {
    ResponseReader head;
    std::string body;
  };

  /// Makes sure that there is a connection; whether it has been used before.
  Result<bool> connect();
  Result<Answer> exchange(const Request& request);

  std::shared_ptr<const Endpoint> endpoint_;
  std::unique_ptr<Connection> connection_;  ///< Null when there is none to be used.
};

/// Reads until the head of the answer is there. Errors: `store_unavailable` when the connection
/// breaks or says nothing for `silence`; `invalid_request` when it is no HTTP.
Result<void> read_head(Connection& connection, ResponseReader& answer, const Endpoint& endpoint,
                       std::chrono::milliseconds silence);

/// Reads the rest of an answer whose head is there; the whole body, bounded.
Result<std::string> read_body(Connection& connection, ResponseReader& answer,
                              const Endpoint& endpoint, std::chrono::milliseconds silence);

/// The error of an answer whose status is not of success: the problem of its body, or what the
/// status alone says.
[[nodiscard]] Error error_of(const ResponseReader& answer, std::string_view body,
                             const Endpoint& endpoint);

/// The answer has a body that none of an Annals server has.
[[nodiscard]] Error not_annals(const Endpoint& endpoint);

}  // namespace annals::client
