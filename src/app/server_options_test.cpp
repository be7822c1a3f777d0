#include "app/server_options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.hpp"

namespace annals::app {
namespace {

/// Every option that a key sets, as text.
std::vector<std::pair<std::string, std::string>> listed(const server::ServerOptions& options) {
  const auto number = [](auto value) { return std::to_string(value); };
  const auto time = [](std::chrono::milliseconds value) { return std::to_string(value.count()); };
  return {
      {"server.listen", options.listen},
      {"server.tls_cert", options.tls_cert},
      {"server.tls_key", options.tls_key},
      {"server.cors_origins", options.cors_origins},
      {"server.threads", number(options.threads)},
      {"server.workers", number(options.workers)},
      {"server.max_connections", number(options.max_connections)},
      {"server.head_timeout", time(options.head_timeout)},
      {"server.idle_timeout", time(options.idle_timeout)},
      {"server.body_timeout", time(options.body_timeout)},
      {"server.write_timeout", time(options.write_timeout)},
      {"server.shutdown_timeout", time(options.shutdown_timeout)},
      {"metrics.token", options.metrics_token},
      {"page.max_scan", number(options.page_max_scan)},
      {"read.wait_for", time(options.read_wait_for)},
      {"read.max_wait", time(options.read_max_wait)},
      {"ndjson.max_in_flight", number(options.ndjson_max_in_flight)},
      {"ndjson.max_in_flight_bytes", number(options.ndjson_max_in_flight_bytes)},
      {"ndjson.max_unsent_bytes", number(options.ndjson_max_unsent_bytes)},
      {"hub.cache_bytes", number(options.hub_cache_bytes)},
      {"tail.poll_interval", time(options.tail_poll_interval)},
      {"tail.stall_timeout", time(options.tail_stall_timeout)},
      {"tail.batch_size", number(options.tail_batch_size)},
      {"rate.ip_requests", number(options.rate_ip_requests)},
      {"rate.key_events", number(options.rate_key_events)},
      {"rate.key_bytes", number(options.rate_key_bytes)},
      {"rate.burst", time(options.rate_burst)},
      {"jwt.algorithm", options.jwt.algorithm},
      {"jwt.key_file", options.jwt.key_file.string()},
      {"jwt.issuer", options.jwt.issuer},
      {"jwt.audience", options.jwt.audience},
      {"jwt.claim", options.jwt.claim},
      {"jwt.leeway", time(options.jwt.leeway)},
      {"ticket.lifetime", time(options.ticket_lifetime)},
      {"ticket.max_open", number(options.ticket_max_open)},
      {"subscriber.max_connections", number(options.subscriber_max_connections)},
      {"subscriber.max_per_key", number(options.subscriber_max_per_key)},
      {"subscriber.max_pending_bytes", number(options.subscriber_max_pending_bytes)},
      {"subscriber.write_timeout", time(options.subscriber_write_timeout)},
      {"subscriber.keepalive", time(options.subscriber_keepalive)},
      {"subscriber.expiring_before", time(options.subscriber_expiring_before)},
      {"subscriber.checkpoint_every", number(options.subscriber_checkpoint_every)},
  };
}

TEST(ServerOptions, TheDefaultsOfTheConfigurationAreThoseOfTheServer) {
  EXPECT_EQ(listed(server_options({}, "1")), listed(server::ServerOptions{}));
}

TEST(ServerOptions, EveryKeyReachesItsOptionAndNoOther) {
  const auto defaults = listed(server_options({}, "1"));
  for (std::size_t i = 0; i < defaults.size(); ++i) {
    const auto& name = defaults[i].first;
    const auto* key = config::find_key(config::schema(), name);
    ASSERT_NE(key, nullptr) << name;
    config::Settings settings;
    const auto value = key->type == config::Type::integer ? config::Value(key->max)
                       : key->type == config::Type::size  ? config::Value(config::Size{key->max})
                       : key->type == config::Type::duration
                           ? config::Value(std::chrono::milliseconds(key->max))
                           : config::Value(std::string("[::1]:1"));
    key->set(settings, value);
    const auto changed = listed(server_options(settings.server, "1"));
    for (std::size_t j = 0; j < defaults.size(); ++j) {
      EXPECT_EQ(changed[j] == defaults[j], i != j) << name << " and " << defaults[j].first;
    }
  }
}

TEST(ServerOptions, EveryKeyOfTheServersSectionsIsListed) {
  const auto options = listed(server::ServerOptions{});
  for (const auto& key : config::schema()) {
    const auto section = key.section();
    const bool of_server = section == "server" || section == "page" || section == "ndjson" ||
                           section == "hub" || section == "tail" || section == "subscriber" ||
                           section == "read" || section == "metrics" || section == "rate" ||
                           section == "ticket" || section == "jwt";
    const bool found = std::ranges::any_of(
        options, [&key](const auto& option) { return option.first == key.name; });
    EXPECT_EQ(found, of_server) << key.name;
  }
}

}  // namespace
}  // namespace annals::app
