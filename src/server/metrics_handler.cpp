#include <span>

#include "core/hash.hpp"
#include "server/checks.hpp"
#include "server/handlers.hpp"

namespace annals::server {

namespace {

/// Compared as hashes, so that the time taken says nothing about the token.
bool presents(const Request& request, std::string_view token) {
  constexpr std::string_view scheme = "Bearer ";
  const auto authorization = request.header("authorization");
  if (!authorization || !authorization->starts_with(scheme)) return false;
  return core::equal_constant_time(core::blake3(authorization->substr(scheme.size())),
                                   core::blake3(token));
}

}  // namespace

Plan plan_metrics(Service& service, const Request& request, const Match& match,
                  Caller& /*caller*/) {
  if (!service.options.metrics_token.empty() && !presents(request, service.options.metrics_token)) {
    return problem(
        Error{ErrorCode::not_authenticated, "give metrics.token in Authorization: Bearer", {}, {}});
  }
  if (const auto query = read_query(request, match.route); !query) return problem(query.error());
  return Blocking{[&service]() -> Reply {
    Response response;
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = service.scrape();
    return response;
  }};
}

}  // namespace annals::server
