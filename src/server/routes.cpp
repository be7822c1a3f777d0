#include "server/routes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "server/handlers.hpp"
#include "wire/query.hpp"

namespace annals::server {

namespace {

constexpr auto table = std::to_array<Route>({
    {Method::post, "/v1/events", plan_append, "Append one event, an array, or NDJSON"},
    {Method::get, "/v1/events", plan_events, "A page of events, all of them, or the SSE stream"},
    {Method::get, "/v1/events/stream", plan_stream, "Events as server-sent events"},
    {Method::get, "/v1/events/{event}", plan_event, "One event by seq or id"},
    {Method::get, "/v1/streams", plan_streams, "Streams by prefix, with head and version"},
    {Method::get, "/v1/streams/{stream}", plan_stream_head, "Head and version of a stream"},
    {Method::get, "/v1/streams/{stream}/events", plan_stream_events, "A page of one stream"},
    {Method::get, "/v1/streams/{stream}/verify", plan_stream_verify, "Verify one chain"},
    {Method::get, "/v1/log", plan_log, "The log's counters, limits and versions"},
    {Method::get, "/metrics", plan_metrics, "Metrics for Prometheus"},
    {Method::get, "/healthz", plan_healthz, "The process lives"},
    {Method::get, "/readyz", plan_readyz, "The store answers and delivery moves"},
});

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    segments.push_back(path.substr(0, path.find('/')));
    path.remove_prefix(segments.back().size());
  }
  return segments;
}

bool is_parameter(std::string_view segment) noexcept {
  return segment.starts_with('{');
}

/// The parameters of `path` when it matches. A fixed segment is compared as sent: our own paths
/// need no escapes.
std::optional<PathParameters> match(std::string_view pattern, std::string_view path) {
  const auto wanted = split(pattern);
  const auto given = split(path);
  if (wanted.size() != given.size()) return std::nullopt;
  PathParameters parameters;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!is_parameter(wanted[i])) {
      if (wanted[i] != given[i]) return std::nullopt;
      continue;
    }
    auto decoded = wire::percent_decode(given[i], false);
    if (!decoded || decoded->empty()) return std::nullopt;
    parameters.push_back(std::move(*decoded));
  }
  return parameters;
}

Response not_allowed(std::vector<Method> methods) {
  std::string allow;
  if (std::ranges::find(methods, Method::get) != methods.end()) methods.push_back(Method::head);
  for (const Method method : methods) {
    if (!allow.empty()) allow += ", ";
    allow += to_string(method);
  }
  Response response = problem(wire::HttpCode::method_not_allowed, "allowed here: " + allow);
  response.fields.push_back({"Allow", allow});
  return response;
}

}  // namespace

std::span<const Route> routes() noexcept {
  return table;
}

Plan route(Service& service, const Request& request, Caller& caller) {
  const Method method = request.method == Method::head ? Method::get : request.method;
  std::string_view matched;
  std::vector<Method> methods;
  for (const Route& candidate : table) {
    if (!matched.empty() && candidate.pattern != matched) continue;
    const auto parameters = match(candidate.pattern, request.path);
    if (!parameters) continue;
    matched = candidate.pattern;
    if (candidate.method == method) {
      return candidate.handler(service, request, *parameters, caller);
    }
    methods.push_back(candidate.method);
  }
  if (methods.empty()) {
    return problem(Error{ErrorCode::not_found, "there is no such path", {}, {}});
  }
  return not_allowed(std::move(methods));
}

}  // namespace annals::server
