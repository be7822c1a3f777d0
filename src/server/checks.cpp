#include "server/checks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/filter.hpp"
#include "server/routes.hpp"

namespace annals::server {

namespace {

/// The parameters of a route's query in one of its renderings.
std::vector<std::string_view> names_of(const Route& route, Use rendering) {
  std::vector<std::string_view> names;
  if (takes_ticket(route)) names.emplace_back("ticket");
  for (const Parameter& parameter : route.query) {
    const bool known = parameter.use == Use::any || parameter.use == rendering;
    if (known) names.push_back(parameter.name);
  }
  return names;
}

}  // namespace

Result<void> admit_reader(Service& service, const Request& request, Caller& caller) {
  auto who = service.access.authenticate(request);
  if (!who) return std::unexpected(who.error());
  caller = std::move(*who);
  if (caller.read.empty()) {
    return fail(ErrorCode::not_allowed, "the key may not read events");
  }
  return {};
}

Result<wire::Query> read_query(const Request& request, const Route& route, Use rendering) {
  auto query = wire::Query::parse(request.query);
  if (!query) return query;
  const auto known = names_of(route, rendering);
  if (route.filters) {
    for (const std::string_view name : known) {
      if (auto once = query->refuse_repeated(name); !once) return std::unexpected(once.error());
    }
    return query;
  }
  if (auto allowed = query->allow_only(known); !allowed) return std::unexpected(allowed.error());
  return query;
}

Result<Filter> read_filter(const EventLog& log, const wire::Query& query, const Route& route,
                           Use rendering) {
  const auto known = names_of(route, rendering);
  const auto catalogue = log.catalogue();
  Filter filter;
  for (const wire::Parameter& parameter : query.parameters()) {
    if (wire::is_cache_buster(parameter.name)) continue;
    if (std::ranges::find(known, parameter.name) != known.end()) continue;
    auto set = core::set_filter(filter, parameter.name, parameter.value, *catalogue);
    if (!set) return std::unexpected(set.error());
  }
  return filter;
}

Result<std::uint64_t> seq_before(const EventLog& log, const LogState& state, Timestamp time) {
  std::uint64_t low = state.oldest - 1;  // everything up to here was recorded before
  std::uint64_t high = state.event_seq;  // nothing after here is looked at
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto page = log.read({.after = middle, .limit = 1});
    if (!page) return std::unexpected(page.error());
    if (page->records.empty() || page->records.front().header.recorded_at >= time) {
      high = middle;
    } else {
      low = page->records.front().header.seq;
    }
  }
  return low;
}

Result<void> admit_admin(Service& service, const Request& request, Caller& caller) {
  if (auto admitted = admit_reader(service, request, caller); !admitted) return admitted;
  if (reads_all(caller.read)) return {};
  return fail(ErrorCode::not_allowed, "this is for keys that read everything");
}

PageBounds page_bounds(const ServerOptions& options) noexcept {
  return {options.page_default_events, options.page_max_events, options.read_max_wait};
}

Response too_many_subscribers() {
  return problem(Error{ErrorCode::too_many_subscribers,
                       "the server has no free place for another subscriber",
                       {},
                       std::chrono::seconds{5}});
}

Response reply(Result<Response> response) {
  return response ? std::move(*response) : problem(response.error());
}

Response json(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

}  // namespace annals::server
