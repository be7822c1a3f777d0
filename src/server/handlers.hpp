#pragma once

#include "server/route.hpp"

namespace annals::server {

// One function per call of the API; see route_table.cpp.

Plan plan_append(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_events(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_stream(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_event(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_streams(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_stream_head(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_stream_events(Service& service, const Request& request, const Match& match,
                        Caller& caller);
Plan plan_stream_verify(Service& service, const Request& request, const Match& match,
                        Caller& caller);
Plan plan_ticket(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_log(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_openapi(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_metrics(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_healthz(Service& service, const Request& request, const Match& match, Caller& caller);
Plan plan_readyz(Service& service, const Request& request, const Match& match, Caller& caller);

}  // namespace annals::server
