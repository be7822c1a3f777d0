#include <chrono>
#include <string>
#include <utility>

#include "server/checks.hpp"
#include "server/handlers.hpp"
#include "wire/text.hpp"

namespace annals::server {

namespace {

Response ticket_answer(const std::string& ticket, Timestamp expires_at) {
  std::string body = "{";
  wire::append_member(body, "ticket", ticket);
  wire::append_member(body, "expires_at", annals::to_string(expires_at));
  Response response = json(body + "}");
  response.status = 201;
  response.fields.push_back({"Cache-Control", "no-store"});
  return response;
}

}  // namespace

Plan plan_ticket(Service& service, const Request& request, const Match& match, Caller& caller) {
  if (const auto query = read_query(request, match.route); !query) return problem(query.error());
  auto who = service.access.authenticate(request);
  if (!who) return problem(who.error());
  caller = std::move(*who);
  // While there is no key it stands for nobody: the first key ends that, too.
  std::string credential;
  if (!caller.open_mode) credential = presented_key(request).value_or("");
  return Blocking{[&service, credential = std::move(credential)]() -> Reply {
    const auto ticket = service.tickets.issue(credential, Deadline::clock::now());
    if (!ticket) return problem(ticket.error());
    return ticket_answer(*ticket, wall_clock() + service.tickets.lifetime());
  }};
}

}  // namespace annals::server
