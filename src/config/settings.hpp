#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "annals/open.hpp"

namespace annals::config {

/// What the server is told. The names are the configuration keys; sizes in bytes.
struct ServerSettings {
  std::string listen = "127.0.0.1:7420";               ///< `server.listen`
  std::uint64_t threads = 0;                           ///< `server.threads`; 0 = one per processor
  std::uint64_t workers = 4;                           ///< `server.workers`
  std::uint64_t max_connections = 20'000;              ///< `server.max_connections`
  std::chrono::milliseconds head_timeout{10'000};      ///< `server.head_timeout`
  std::chrono::milliseconds idle_timeout{60'000};      ///< `server.idle_timeout`
  std::chrono::milliseconds body_timeout{30'000};      ///< `server.body_timeout`
  std::chrono::milliseconds write_timeout{30'000};     ///< `server.write_timeout`
  std::chrono::milliseconds shutdown_timeout{10'000};  ///< `server.shutdown_timeout`

  std::string tls_cert;  ///< `server.tls_cert`
  std::string tls_key;   ///< `server.tls_key`

  std::string cors_origins;  ///< `server.cors_origins`

  std::string metrics_token;  ///< `metrics.token`

  std::uint64_t page_max_scan = 100'000;            ///< `page.max_scan`, events
  std::chrono::milliseconds read_wait_for{5000};    ///< `read.wait_for`
  std::chrono::milliseconds read_max_wait{60'000};  ///< `read.max_wait`

  std::uint64_t ndjson_max_in_flight = 4000;  ///< `ndjson.max_in_flight`, lines
  std::uint64_t ndjson_max_in_flight_bytes =
      std::uint64_t{4} * 1024 * 1024;  ///< `ndjson.max_in_flight_bytes`
  std::uint64_t ndjson_max_unsent_bytes =
      std::uint64_t{8} * 1024 * 1024;  ///< `ndjson.max_unsent_bytes`

  std::uint64_t hub_cache_bytes = std::uint64_t{64} * 1024 * 1024;  ///< `hub.cache_bytes`
  std::chrono::milliseconds tail_poll_interval{1000};               ///< `tail.poll_interval`
  std::chrono::milliseconds tail_stall_timeout{5000};               ///< `tail.stall_timeout`
  std::uint64_t tail_batch_size = 500;                              ///< `tail.batch_size`, events

  std::uint64_t rate_ip_requests = 0;            ///< `rate.ip_requests`, a second
  std::uint64_t rate_key_events = 0;             ///< `rate.key_events`, a second
  std::uint64_t rate_key_bytes = 0;              ///< `rate.key_bytes`, a second
  std::chrono::milliseconds rate_burst{10'000};  ///< `rate.burst`

  std::string jwt_algorithm;                ///< `jwt.algorithm`; empty: no tokens
  std::string jwt_key_file;                 ///< `jwt.key_file`
  std::string jwt_issuer;                   ///< `jwt.issuer`
  std::string jwt_audience;                 ///< `jwt.audience`
  std::string jwt_claim = "annals";         ///< `jwt.claim`
  std::chrono::milliseconds jwt_leeway{0};  ///< `jwt.leeway`

  std::chrono::milliseconds ticket_lifetime{30'000};  ///< `ticket.lifetime`
  std::uint64_t ticket_max_open = 10'000;             ///< `ticket.max_open`

  std::uint64_t subscriber_max_connections = 10'000;  ///< `subscriber.max_connections`
  std::uint64_t subscriber_max_per_key = 0;           ///< `subscriber.max_per_key`
  std::uint64_t subscriber_max_pending_bytes =
      std::uint64_t{1024} * 1024;                                ///< `subscriber.max_pending_bytes`
  std::chrono::milliseconds subscriber_write_timeout{30'000};    ///< `subscriber.write_timeout`
  std::chrono::milliseconds subscriber_keepalive{15'000};        ///< `subscriber.keepalive`
  std::chrono::milliseconds subscriber_expiring_before{60'000};  ///< `subscriber.expiring_before`
  std::uint64_t subscriber_checkpoint_every = 1000;  ///< `subscriber.checkpoint_every`, events
};

/// Which server the commands ask instead of opening a store.
struct ClientSettings {
  std::string server;   ///< `client.server`; empty: the store.
  std::string api_key;  ///< `client.api_key`
  std::string ca_file;  ///< `client.ca_file`
};

/// Where the program's own messages go: to standard error, as text or one JSON object a line.
struct LoggingSettings {
  std::string level = "info";   ///< `log.level`
  std::string format = "text";  ///< `log.format`
};

/// The effective configuration, typed. The defaults of all keys are the initializers here and in
/// `annals::OpenOptions`; the schema reads them from there. Plain value.
struct Settings {
  std::string store = "sqlite:annals.db";  ///< `store`
  OpenOptions open;  ///< `events.*`, `append.*`, `unit.*`, `chain.*`, `verify.*`, `sqlite.*`
  ServerSettings server;
  ClientSettings client;
  LoggingSettings logging;
};

}  // namespace annals::config
