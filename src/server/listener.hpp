#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "annals/result.hpp"
#include "server/request_log.hpp"
#include "server/service.hpp"
#include "server/shard.hpp"
#include "server/slots.hpp"

namespace annals::server {

/// Where to listen, read from `address:port`.
struct ListenAddress {
  std::string host;  ///< Numeric; `localhost` becomes 127.0.0.1.
  std::uint16_t port = 0;
  bool loopback = false;
};

/// Reads `127.0.0.1:7420`, `localhost:0`, `[::1]:7420`; `invalid_request` for anything else.
[[nodiscard]] Result<ListenAddress> parse_listen(const std::string& text);

/// Accepts connections and spreads them over the shards. Used on the first shard's thread, but for
/// `open`.
class Listener {
 public:
  Listener(std::vector<std::unique_ptr<Shard>>& shards, Service& service, RequestLog& log,
           Slots& connections);

  /// Binds and listens; returns the port. `store_unavailable` when the address cannot be had.
  Result<std::uint16_t> open(const ListenAddress& address);

  /// Begins to accept.
  void start();

  /// Accepts nothing more. Idempotent.
  void close();

 private:
  void accept();
  void take(boost::asio::ip::tcp::socket socket, Shard& shard);

  std::vector<std::unique_ptr<Shard>>& shards_;
  Service& service_;
  RequestLog& log_;
  Slots& connections_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::size_t next_ = 0;
};

}  // namespace annals::server
