#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "server/jwt_options.hpp"

namespace annals::server {

/// Everything the server can be told. Plain value; checked by `Server::start`. Where a name
/// follows, it is the configuration key; sizes in bytes.
struct ServerOptions {
  /// `server.listen`: a numeric address or `localhost`, and a port; 0 takes any free one. Without a
  /// key in the log, and without tokens, only loopback addresses are accepted.
  std::string listen = "127.0.0.1:7420";
  std::string tls_cert;  ///< `server.tls_cert`: PEM file; with the next, connections use TLS.
  std::string tls_key;   ///< `server.tls_key`: PEM file.
  /// `server.cors_origins`: pages of these origins may use the server from browsers; separated by
  /// commas, as `core::parse_origins` reads them.
  std::string cors_origins;
  std::size_t threads = 0;  ///< `server.threads`; 0 = one per processor.
  std::size_t workers = 4;  ///< Threads that read the store for the others.
  std::string version = "0.1.0";

  bool structured_log = false;  ///< Lines of the log are JSON objects instead of texts.
  std::string metrics_token;    ///< `metrics.token`; empty: `/metrics` is open to everybody.

  std::size_t max_connections = 20'000;  ///< Open connections of any kind.
  std::size_t head_max_bytes = std::size_t{16} * 1024;
  std::size_t head_max_lines = 100;
  std::chrono::milliseconds head_timeout{10'000};      ///< From its first byte to its last.
  std::chrono::milliseconds idle_timeout{60'000};      ///< Between two requests.
  std::chrono::milliseconds body_timeout{30'000};      ///< Without a byte of the body.
  std::chrono::milliseconds write_timeout{30'000};     ///< Without progress of an answer.
  std::chrono::milliseconds shutdown_timeout{10'000};  ///< For everybody to finish.

  std::size_t page_default_events = 100;
  std::size_t page_max_events = 1000;
  std::size_t page_max_scan = 100'000;  ///< `page.max_scan`, rows.

  std::chrono::milliseconds read_wait_for{5000};    ///< `read.wait_for`: until `min_seq` is there.
  std::chrono::milliseconds read_max_wait{60'000};  ///< `read.max_wait`: longest long poll.

  std::size_t ndjson_max_in_flight = 4000;  ///< Lines read and not yet answered.
  std::size_t ndjson_max_in_flight_bytes = std::size_t{4} * 1024 * 1024;
  std::size_t ndjson_max_unsent_bytes = std::size_t{8} * 1024 * 1024;  ///< Answers not yet taken.

  std::size_t hub_cache_bytes = std::size_t{64} * 1024 * 1024;  ///< `hub.cache_bytes`
  std::chrono::milliseconds tail_poll_interval{1000};           ///< `tail.poll_interval`
  std::chrono::milliseconds tail_stall_timeout{5000};           ///< `tail.stall_timeout`
  std::size_t tail_batch_size = 500;                            ///< `tail.batch_size`, events.

  std::size_t rate_ip_requests = 0;              ///< `rate.ip_requests`, a second; 0: no limit.
  std::size_t rate_key_events = 0;               ///< `rate.key_events`, a second; 0: no limit.
  std::size_t rate_key_bytes = 0;                ///< `rate.key_bytes`, a second; 0: no limit.
  std::chrono::milliseconds rate_burst{10'000};  ///< `rate.burst`: so much is kept.

  JwtOptions jwt;  ///< `jwt.*`: which tokens are taken beside keys.

  std::chrono::milliseconds ticket_lifetime{30'000};  ///< `ticket.lifetime`
  std::size_t ticket_max_open = 10'000;               ///< `ticket.max_open`

  std::size_t subscriber_max_connections = 10'000;  ///< `subscriber.max_connections`
  std::size_t subscriber_max_per_key = 0;           ///< `subscriber.max_per_key`; 0: no limit.
  std::size_t subscriber_max_pending_bytes =
      std::size_t{1024} * 1024;                                ///< `subscriber.max_pending_bytes`
  std::chrono::milliseconds subscriber_write_timeout{30'000};  ///< `subscriber.write_timeout`
  std::chrono::milliseconds subscriber_keepalive{15'000};      ///< `subscriber.keepalive`
  /// `subscriber.expiring_before`: a key's expiry is announced so long ahead.
  std::chrono::milliseconds subscriber_expiring_before{60'000};
  std::size_t subscriber_checkpoint_every = 1000;  ///< Events scanned without a match.
};

}  // namespace annals::server
