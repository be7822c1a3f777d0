#include <utility>

#include "log/ports/store.hpp"
#include "server/checks.hpp"
#include "server/handlers.hpp"
#include "server/openapi.hpp"
#include "wire/answers.hpp"

namespace annals::server {

namespace {

Reply log_info(const Service& service, bool open_mode) {
  auto state = service.log.state();
  if (!state) return problem(state.error());
  const log::StoreInfo store = service.log.store().info();
  wire::LogInfo info;
  info.state = std::move(*state);
  info.events = service.log.options().events;
  info.append = service.log.options().append;
  info.page_max = service.options.page_max_events;
  info.page_max_scan = service.options.page_max_scan;
  info.wait_max_ms = static_cast<std::uint64_t>(service.options.read_max_wait.count());
  info.store = store.kind;
  info.store_version = store.version;
  info.schema_version = store.schema_version;
  info.durability = store.durability;
  info.version = service.options.version;
  info.open_mode = open_mode;
  return json(wire::log_answer(info));
}

}  // namespace

Plan plan_log(Service& service, const Request& request, const Match& match, Caller& caller) {
  auto who = service.access.authenticate(request);
  if (!who) return problem(who.error());
  caller = std::move(*who);
  if (const auto query = read_query(request, match.route); !query) return problem(query.error());
  return Blocking{
      [&service, open_mode = caller.open_mode] { return log_info(service, open_mode); }};
}

Plan plan_healthz(Service& /*service*/, const Request& /*request*/, const Match& /*match*/,
                  Caller& /*caller*/) {
  return json(R"({"status":"ok"})");
}

Plan plan_readyz(Service& service, const Request& /*request*/, const Match& /*match*/,
                 Caller& /*caller*/) {
  return Blocking{[&service]() -> Reply {
    if (const auto ready = service.ready(); !ready) return problem(ready.error());
    return json(R"({"status":"ready"})");
  }};
}

Plan plan_openapi(Service& service, const Request& request, const Match& match,
                  Caller& /*caller*/) {
  if (const auto query = read_query(request, match.route); !query) return problem(query.error());
  return Blocking{
      [&service]() -> Reply { return json(openapi_document(service.options.version)); }};
}

}  // namespace annals::server
