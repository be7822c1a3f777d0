#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/access.hpp"
#include "server/message.hpp"
#include "server/page_query.hpp"
#include "server/route.hpp"
#include "server/service.hpp"
#include "wire/query.hpp"

namespace annals::server {

/// Authenticates a request that reads events: `not_allowed` for a key without any read grant. Sets
/// `caller` as soon as it is known.
[[nodiscard]] Result<void> admit_reader(Service& service, const Request& request, Caller& caller);

/// The query of a request, which may have no other parameters than its route has for this
/// rendering. On a route that takes filters, every other one is left to `read_filter`. Errors:
/// `invalid_request` for a bad encoding or a parameter given twice, `unknown_parameter`.
[[nodiscard]] Result<wire::Query> read_query(const Request& request, const Route& route,
                                             Use rendering = Use::page);

/// The filter of a request whose query was read for the same route and rendering. Errors:
/// `invalid_filter` and `unknown_parameter`, naming the parameter.
[[nodiscard]] Result<Filter> read_filter(const EventLog& log, const wire::Query& query,
                                         const Route& route, Use rendering = Use::page);

/// The seq behind which the events recorded at or after `time` begin. Reads the log a few dozen
/// times: recorded times never run backwards.
[[nodiscard]] Result<std::uint64_t> seq_before(const EventLog& log, const LogState& state,
                                               Timestamp time);

/// Admits readers of everything: lists of streams say more than a narrower grant shows.
[[nodiscard]] Result<void> admit_admin(Service& service, const Request& request, Caller& caller);

/// The bounds of pages.
[[nodiscard]] PageBounds page_bounds(const ServerOptions& options) noexcept;

/// The problem of a subscriber for whom there is no place.
[[nodiscard]] Response too_many_subscribers();

/// The answer, or the problem of its error.
[[nodiscard]] Response reply(Result<Response> response);

/// A JSON answer with status 200.
[[nodiscard]] Response json(std::string body);

}  // namespace annals::server
