#pragma once

#include <span>
#include <string_view>

#include "server/route.hpp"

namespace annals::server {

/// Every call there is. What serves, documents or tests the API reads this table. Constant.
[[nodiscard]] std::span<const Route> routes() noexcept;

/// The plan for a request: its route's, or the problem `not_found` or `method_not_allowed` with
/// `Allow`. HEAD is answered like GET, without the body. While origins are listed, pages of others
/// are refused, and browsers are told what pages may send.
[[nodiscard]] Plan route(Service& service, const Request& request, Caller& caller);

/// True when the query of the call may hold a ticket instead of a key in the head.
[[nodiscard]] bool takes_ticket(const Route& route) noexcept;

/// The status and the name of a problem.
[[nodiscard]] int status_of(const ProblemCode& code) noexcept;
[[nodiscard]] std::string_view name_of(const ProblemCode& code) noexcept;

/// Problems that a call may have besides its own: those of its audience, and those that every call
/// may have.
[[nodiscard]] std::span<const ProblemCode> problems_of(Audience audience) noexcept;
[[nodiscard]] std::span<const ProblemCode> common_problems() noexcept;

}  // namespace annals::server
