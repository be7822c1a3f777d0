#include <utility>

#include "server/checks.hpp"
#include "server/handlers.hpp"
#include "wire/cursor_query.hpp"

namespace annals::server {

namespace {

Reply begin(const Service& service, wire::CursorQuery cursor, StreamStart start) {
  const auto state = service.log.state();
  if (!state) return problem(state.error());
  if (cursor.start == wire::CursorQuery::Start::time) {
    const auto after = seq_before(service.log, *state, cursor.time);
    if (!after) return problem(after.error());
    cursor.start = wire::CursorQuery::Start::after;
    cursor.after = *after;
  }
  start.head = state->event_seq;
  start.position = wire::settle(cursor, *state, state->event_seq);
  return start;
}

}  // namespace

Plan plan_stream(Service& service, const Request& request, const Match& match, Caller& caller) {
  auto slot = service.subscribers.take();
  if (!slot) return too_many_subscribers();
  if (const auto admitted = admit_reader(service, request, caller); !admitted) {
    return problem(admitted.error());
  }
  auto of_key = service.limits.take_stream(caller.party);
  if (!of_key) return problem(of_key.error());
  const auto query = read_query(request, match.route, Use::stream);
  if (!query) return problem(query.error());
  auto filter = read_filter(service.log, *query, match.route, Use::stream);
  if (!filter) return problem(filter.error());
  const auto format = wire::parse_format(query->value("format"));
  if (!format) return problem(format.error());
  if (request.count("last-event-id") > 1) {
    return problem(
        Error{ErrorCode::invalid_request, "Last-Event-ID is given more than once", {}, {}});
  }
  const auto cursor = wire::read_stream_cursor(*query, request.header("last-event-id"));
  if (!cursor) return problem(cursor.error());
  Selection selection{caller.viewer(), narrowed_by(std::move(*filter)), *format};
  return Blocking{[&service, cursor = *cursor,
                   start = StreamStart{static_cast<const ReadRights&>(caller),
                                       std::move(selection),
                                       {},
                                       0,
                                       both(std::move(slot), std::move(*of_key))}] {
    return begin(service, cursor, start);
  }};
}

}  // namespace annals::server
