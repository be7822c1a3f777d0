#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/message.hpp"
#include "server/plan.hpp"
#include "server/service.hpp"

namespace annals::server {

/// What stands in the `{}` segments of a route's pattern, percent-decoded, in order.
using PathParameters = std::vector<std::string>;

/// Decides from the head of a request what to do. Sets `caller` when somebody was authenticated.
/// Called on the connection's thread; must not block.
using Handler = Plan (*)(Service& service, const Request& request, const PathParameters& parameters,
                         Caller& caller);

/// One call of the API.
struct Route {
  Method method = Method::get;
  std::string_view pattern;  ///< `/v1/events/{event}`
  Handler handler = nullptr;
  std::string_view summary;  ///< One line for the reference.
};

/// Every call there is. What serves, documents or tests the API reads this table.
[[nodiscard]] std::span<const Route> routes() noexcept;

/// The plan for a request: its route's, or the problem `not_found` or `method_not_allowed` with
/// `Allow`. HEAD is answered like GET, without the body.
[[nodiscard]] Plan route(Service& service, const Request& request, Caller& caller);

}  // namespace annals::server
