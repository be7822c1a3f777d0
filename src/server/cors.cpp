#include "server/cors.hpp"

#include <algorithm>

namespace annals::server {

namespace {

/// What our clients send beside what every page may.
constexpr std::string_view request_headers =
    "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, traceparent, "
    "X-API-Key";

/// What a page could not read otherwise.
constexpr std::string_view answer_headers =
    "Annals-Caught-Up, Annals-Head, Annals-Log-Id, Annals-Next-After, Annals-Next-Before, "
    "Annals-Oldest, Annals-Stream, ETag, Retry-After, WWW-Authenticate";

/// Seconds that a browser need not ask again.
constexpr std::string_view max_age = "600";

/// True when the page was loaded under the name that the request is sent to. The scheme is left
/// out: behind a proxy that speaks TLS it is another one here.
bool is_own(const Request& request, std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  const auto host = request.header("host");
  return host && scheme != std::string_view::npos && origin.substr(scheme + 3) == *host;
}

}  // namespace

bool Cors::lists(std::string_view origin) const {
  return std::ranges::find(origins_, origin) != origins_.end();
}

bool Cors::trusts(const Request& request) const {
  const auto origin = request.header("origin");
  if (!origin) return true;
  return request.count("origin") == 1 && (is_own(request, *origin) || lists(*origin));
}

std::vector<Field> Cors::fields(const Request& request) const {
  if (!on()) return {};
  std::vector<Field> fields{{"Vary", "Origin"}};
  const auto origin = request.header("origin");
  if (origin && request.count("origin") == 1 && lists(*origin)) {
    fields.push_back({"Access-Control-Allow-Origin", std::string{*origin}});
    fields.push_back({"Access-Control-Expose-Headers", std::string{answer_headers}});
  }
  return fields;
}

bool Cors::is_preflight(const Request& request) const {
  return on() && request.method == Method::options && request.header("origin") &&
         request.header("access-control-request-method");
}

Response Cors::preflight(std::string methods) {
  Response response;
  response.status = 204;
  response.content_type.clear();
  response.fields = {{"Access-Control-Allow-Methods", std::move(methods)},
                     {"Access-Control-Allow-Headers", std::string{request_headers}},
                     {"Access-Control-Max-Age", std::string{max_age}}};
  return response;
}

Error foreign_origin() {
  return Error{ErrorCode::not_allowed, "pages of this origin may not use the server", {}, {}};
}

}  // namespace annals::server
