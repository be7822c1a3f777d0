#pragma once

#include <spdlog/fwd.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "annals/event_log.hpp"
#include "annals/result.hpp"
#include "server/options.hpp"

namespace annals::server {

/// The HTTP server over one log. The constructor does no I/O. `start` and `stop` are for one owner;
/// the rest is thread-safe.
class Server {
 public:
  /// Called once, on a thread of the server, when delivery stopped for good: the process must end,
  /// since it would look healthy without it. Must not call `stop`.
  using OnFatal = std::function<void(const Error&)>;

  /// `log` must be open when the server starts and outlive it. One line per request goes to
  /// `logger`; null logs nothing.
  Server(EventLog& log, ServerOptions options, std::shared_ptr<spdlog::logger> logger = nullptr,
         OnFatal on_fatal = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Stops.
  ~Server();

  /// Follows the log, listens, and returns the port. Call once. Errors: `invalid_request` for
  /// options out of range and for an address beyond this machine while the log has no key;
  /// `store_unavailable` when the address cannot be had; the store's.
  Result<std::uint16_t> start();

  /// Stops accepting, finishes what was begun within `shutdown_timeout`, closes every connection at
  /// the end of a frame, and waits for all threads. Idempotent.
  void stop();

  /// Subscribers connected now.
  [[nodiscard]] std::size_t subscribers() const noexcept;

  /// Connections open now, subscribers included.
  [[nodiscard]] std::size_t connections() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annals::server
