#pragma once

#include <functional>
#include <string>

#include "annals/event_log.hpp"
#include "server/access.hpp"
#include "server/cors.hpp"
#include "server/in_flight.hpp"
#include "server/limits.hpp"
#include "server/metrics.hpp"
#include "server/options.hpp"
#include "server/slots.hpp"
#include "server/tickets.hpp"
#include "server/tls.hpp"
#include "server/worker_pool.hpp"

namespace annals::server {

/// What handlers work with. Owned by the server, outlives every request; its members are
/// thread-safe.
struct Service {
  EventLog& log;
  const ServerOptions& options;
  Access& access;
  const Cors& cors;
  Limits& limits;
  Tickets& tickets;
  WorkerPool& workers;
  Slots& subscribers;
  Slots& verifications;  ///< Of chains: each holds a worker for long.
  InFlight& appends;
  Metrics& metrics;
  std::function<Result<void>()> ready;  ///< Whether delivery works; called on a worker.
  std::function<std::string()> scrape;  ///< All metrics as text; called on a worker.
  Tls* tls = nullptr;                   ///< Null: connections are plain.
};

}  // namespace annals::server
