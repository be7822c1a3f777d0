#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "annals/result.hpp"
#include "client/endpoint.hpp"

namespace annals::client {

/// A connection to a server, with or without TLS, that carries bytes. Calls block up to the time
/// they are given. Errors are `store_unavailable`, but for a certificate that is not trusted:
/// `invalid_request`. After an error it is of no further use. Used on one thread, `wake` aside.
class Connection {
 public:
  /// Not connected yet.
  explicit Connection(std::shared_ptr<const Endpoint> endpoint);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Connects, in `ClientOptions::connect_timeout`.
  Result<void> open();

  /// Sends all bytes; fails when none moves for `silence`. Bytes that arrive meanwhile are kept, so
  /// that two sides that send at once never wait for each other.
  Result<void> write(std::string_view bytes, std::chrono::milliseconds silence);

  /// What `read` came back with.
  enum class Got : std::uint8_t {
    bytes,
    nothing,  ///< The time passed, or `wake` was called.
    end,      ///< The peer sends no more.
  };

  /// Appends what has arrived to `out`; waits for it up to `wait`.
  Result<Got> read(std::string& out, std::chrono::milliseconds wait);

  /// Ends a `read` that waits, or the next one. Safe from any thread.
  void wake();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annals::client
