#include "app/server_options.hpp"

#include <utility>

namespace annals::app {

server::ServerOptions server_options(const config::ServerSettings& settings, std::string version) {
  server::ServerOptions options;
  options.version = std::move(version);
  options.listen = settings.listen;
  options.tls_cert = settings.tls_cert;
  options.tls_key = settings.tls_key;
  options.cors_origins = settings.cors_origins;
  options.threads = settings.threads;
  options.workers = settings.workers;
  options.max_connections = settings.max_connections;
  options.head_timeout = settings.head_timeout;
  options.idle_timeout = settings.idle_timeout;
  options.body_timeout = settings.body_timeout;
  options.write_timeout = settings.write_timeout;
  options.shutdown_timeout = settings.shutdown_timeout;
  options.metrics_token = settings.metrics_token;
  options.page_max_scan = settings.page_max_scan;
  options.read_wait_for = settings.read_wait_for;
  options.read_max_wait = settings.read_max_wait;
  options.ndjson_max_in_flight = settings.ndjson_max_in_flight;
  options.ndjson_max_in_flight_bytes = settings.ndjson_max_in_flight_bytes;
  options.ndjson_max_unsent_bytes = settings.ndjson_max_unsent_bytes;
  options.hub_cache_bytes = settings.hub_cache_bytes;
  options.tail_poll_interval = settings.tail_poll_interval;
  options.tail_stall_timeout = settings.tail_stall_timeout;
  options.tail_batch_size = settings.tail_batch_size;
  options.rate_ip_requests = settings.rate_ip_requests;
  options.rate_key_events = settings.rate_key_events;
  options.rate_key_bytes = settings.rate_key_bytes;
  options.rate_burst = settings.rate_burst;
  options.jwt.algorithm = settings.jwt_algorithm;
  options.jwt.key_file = settings.jwt_key_file;
  options.jwt.issuer = settings.jwt_issuer;
  options.jwt.audience = settings.jwt_audience;
  options.jwt.claim = settings.jwt_claim;
  options.jwt.leeway = settings.jwt_leeway;
  options.ticket_lifetime = settings.ticket_lifetime;
  options.ticket_max_open = settings.ticket_max_open;
  options.subscriber_max_connections = settings.subscriber_max_connections;
  options.subscriber_max_per_key = settings.subscriber_max_per_key;
  options.subscriber_max_pending_bytes = settings.subscriber_max_pending_bytes;
  options.subscriber_write_timeout = settings.subscriber_write_timeout;
  options.subscriber_keepalive = settings.subscriber_keepalive;
  options.subscriber_expiring_before = settings.subscriber_expiring_before;
  options.subscriber_checkpoint_every = settings.subscriber_checkpoint_every;
  return options;
}

}  // namespace annals::app
