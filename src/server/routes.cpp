#include "server/routes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wire/query.hpp"

namespace annals::server {

namespace {

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
std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
  const auto wanted = split(pattern);
  const auto given = split(path);
  if (wanted.size() != given.size()) return std::nullopt;
  std::vector<std::string> parameters;
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

/// The methods of a path as a header lists them.
std::string listed(std::vector<Method> methods) {
  std::string list;
  if (std::ranges::find(methods, Method::get) != methods.end()) methods.push_back(Method::head);
  for (const Method method : methods) {
    if (!list.empty()) list += ", ";
    list += to_string(method);
  }
  return list;
}

Response not_allowed(std::string allow) {
  Response response = problem(wire::HttpCode::method_not_allowed, "allowed here: " + allow);
  response.fields.push_back({"Allow", std::move(allow)});
  return response;
}

}  // namespace

Plan route(Service& service, const Request& request, Caller& caller) {
  if (service.cors.on() && !service.cors.trusts(request)) return problem(foreign_origin());
  const Method method = request.method == Method::head ? Method::get : request.method;
  std::string_view matched;
  std::vector<Method> methods;
  for (const Route& candidate : routes()) {
    if (!matched.empty() && candidate.pattern != matched) continue;
    auto parameters = match(candidate.pattern, request.path);
    if (!parameters) continue;
    matched = candidate.pattern;
    if (candidate.method == method) {
      return candidate.handler(service, request, {candidate, std::move(*parameters)}, caller);
    }
    methods.push_back(candidate.method);
  }
  if (methods.empty()) {
    return problem(Error{ErrorCode::not_found, "there is no such path", {}, {}});
  }
  std::string allow = listed(std::move(methods));
  if (service.cors.is_preflight(request)) return Cors::preflight(std::move(allow));
  return not_allowed(std::move(allow));
}

bool takes_ticket(const Route& route) noexcept {
  return route.tickets && route.audience != Audience::everybody &&
         route.audience != Audience::metrics;
}

int status_of(const ProblemCode& code) noexcept {
  const auto* error = std::get_if<ErrorCode>(&code);
  if (error != nullptr) return wire::http_status(*error);
  return wire::http_status(*std::get_if<wire::HttpCode>(&code));
}

std::string_view name_of(const ProblemCode& code) noexcept {
  const auto* error = std::get_if<ErrorCode>(&code);
  if (error != nullptr) return annals::to_string(*error);
  return wire::to_string(*std::get_if<wire::HttpCode>(&code));
}

}  // namespace annals::server
