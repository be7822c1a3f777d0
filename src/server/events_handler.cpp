#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/cursor.hpp"
#include "server/checks.hpp"
#include "server/handlers.hpp"
#include "server/ndjson_read.hpp"
#include "server/page.hpp"
#include "server/page_query.hpp"
#include "server/validators.hpp"
#include "wire/answers.hpp"
#include "wire/cloud_event_writer.hpp"

namespace annals::server {

namespace {

constexpr std::string_view ndjson_type = "application/x-ndjson";

/// The form of the answer that an `Accept` header asks for.
enum class Form : std::uint8_t {
  page,
  batch,   ///< A page as a batch of CloudEvents, its counters in the head.
  ndjson,  ///< Everything up to the head instead of a page.
  none,
};

/// A request for events, as far as it can be put off and asked again.
struct EventsRequest {
  Caller caller;
  Selection selection;
  PageQuery query;
  Form form = Form::page;
  std::string known_tags;      ///< Of `If-None-Match`.
  std::shared_ptr<void> slot;  ///< Its place among the subscribers, when it may wait for events.
  Deadline wait_until;         ///< For events;
  Deadline min_seq_until;      ///< for `min_seq`.
};

using EventsRequestPtr = std::shared_ptr<EventsRequest>;

/// Where the page stands in the log; `resync_required` when its cursor cannot be continued.
Result<std::uint64_t> resolve(const Service& service, wire::CursorQuery cursor,
                              const LogState& state) {
  if (cursor.start == wire::CursorQuery::Start::time) {
    const auto after = seq_before(service.log, state, cursor.time);
    if (!after) return std::unexpected(after.error());
    cursor.start = wire::CursorQuery::Start::after;
    cursor.after = *after;
  }
  const wire::Position position = wire::settle(cursor, state, state.oldest - 1);
  if (position.resync) return std::unexpected(wire::resync_error(*position.resync));
  return position.after;
}

Result<PageScan> read_page(const Service& service, const EventsRequest& request,
                           std::uint64_t after, const Wake& wake) {
  PageScope scope{request.selection, after, request.query.range};
  // What the tail has not delivered may be under rights that this process does not know yet.
  if (wake.delivered != 0) scope.last = wake.delivered;
  auto scanned = scan_page(service, scope);
  if (!scanned) return scanned;
  if (scanned->end.oldest > after + 1) {
    // Retention overtook the read: what lies between is lost, and must not look like a hole.
    const auto lost = core::check_cursor(after, scanned->end.oldest, scanned->end.head);
    if (!lost) return std::unexpected(lost.error());
  }
  if (request.query.newest) std::ranges::reverse(scanned->records);
  return scanned;
}

/// The counters of a page, for a body that has no place for them.
std::vector<Field> fields_of(const wire::PageEnd& end) {
  std::vector<Field> fields{{"Annals-Next-After", std::to_string(end.next_after)},
                            {"Annals-Head", std::to_string(end.head)},
                            {"Annals-Oldest", std::to_string(end.oldest)},
                            {"Annals-Log-Id", to_string(end.log_id)},
                            {"Annals-Caught-Up", end.caught_up ? "true" : "false"}};
  if (end.next_before) fields.push_back({"Annals-Next-Before", std::to_string(*end.next_before)});
  return fields;
}

Result<Response> page_response(const EventsRequest& request, const PageScan& scan) {
  const wire::Rendering rendering = request.selection.viewer.rendering();
  const bool batch = request.form == Form::batch;
  std::string tag = page_tag(scan.records, rendering, batch ? "batch" : "page", scan.end);
  if (not_modified(request.known_tags, tag)) return unchanged(std::move(tag));
  auto body = batch
                  ? wire::cloud_event_batch(scan.records, rendering)
                  : wire::page_answer(scan.records, rendering, scan.end, request.selection.format);
  if (!body) return std::unexpected(body.error());
  Response response = json(std::move(*body));
  if (batch) {
    response.content_type = wire::cloud_event_batch_type;
    response.fields = fields_of(scan.end);
  }
  add_validator(response, std::move(tag));
  return response;
}

Reply attempt(Service& service, const EventsRequestPtr& request, const Wake& wake);

Later put_off(Service& service, const EventsRequestPtr& request, std::uint64_t seq,
              Deadline deadline) {
  return {seq, deadline,
          [&service, request](const Wake& wake) { return attempt(service, request, wake); }};
}

Reply answer_page(Service& service, const EventsRequestPtr& request, const LogState& state,
                  std::uint64_t after, const Wake& wake) {
  auto scan = read_page(service, *request, after, wake);
  if (!scan) return problem(scan.error());
  const bool held_back =
      scan->records.empty() && !wake.expired && Deadline::clock::now() < request->wait_until;
  if (held_back) {
    wire::CursorQuery& cursor = request->query.cursor;
    cursor.start = wire::CursorQuery::Start::after;
    cursor.after = scan->end.next_after;
    return put_off(service, request, cursor.after + 1, request->wait_until);
  }
  scan->end.log_id = state.log_id;
  return reply(page_response(*request, *scan));
}

Reply answer_ndjson(Service& service, const EventsRequest& request, const LogState& state,
                    std::uint64_t after) {
  Download download;
  download.head.content_type = ndjson_type;
  download.head.fields = {{"Annals-Head", std::to_string(state.event_seq)},
                          {"Annals-Log-Id", to_string(state.log_id)}};
  const NdjsonScope scope{request.caller, request.selection, after, state.event_seq,
                          request.query.range.limit};
  download.begin = [&service, scope](std::shared_ptr<StreamOutput> output) {
    return NdjsonRead::begin(service, scope, std::move(output));
  };
  return download;
}

/// Answers, or finds that it is too early. Blocks on the store.
Reply attempt(Service& service, const EventsRequestPtr& request, const Wake& wake) {
  const PageQuery& query = request->query;
  const auto state = service.log.state();
  if (!state) return problem(state.error());
  if (state->event_seq < query.min_seq) {
    if (!wake.expired) return put_off(service, request, query.min_seq, request->min_seq_until);
    return problem(
        wire::HttpCode::not_reached,
        "the log has not reached min_seq yet; its head is " + std::to_string(state->event_seq));
  }
  const auto after = resolve(service, query.cursor, *state);
  if (!after) return problem(after.error());
  if (request->form == Form::ndjson) return answer_ndjson(service, *request, *state, *after);
  return answer_page(service, request, *state, *after, wake);
}

Form form_of(std::optional<std::string_view> accept) {
  if (!names(accept, "application/json")) {
    if (names(accept, ndjson_type)) return Form::ndjson;
    if (names(accept, wire::cloud_event_batch_type)) return Form::batch;
  }
  return accepts(accept, "application/json") ? Form::page : Form::none;
}

Result<wire::Format> read_format(const wire::Query& query, Form form) {
  const auto format = wire::parse_format(query.value("format"));
  if (!format || form != Form::batch) return format;
  if (query.value("format") && *format != wire::Format::cloudevents) {
    return fail(ErrorCode::invalid_request, "a batch of CloudEvents has the format cloudevents");
  }
  return wire::Format::cloudevents;
}

Result<PageQuery> read_events_query(const Service& service, const wire::Query& query, Form form) {
  PageBounds bounds = page_bounds(service.options);
  if (form == Form::ndjson) {
    for (const std::string_view name : {"order", "before", "last", "wait"}) {
      if (!query.value(name)) continue;
      return fail(ErrorCode::invalid_request,
                  std::string{name} + " is for pages; NDJSON goes on to the head by itself");
    }
    bounds.default_events = bounds.max_events = max_seq;
  }
  return read_page_query(query, bounds);
}

}  // namespace

Plan plan_events(Service& service, const Request& request, const Match& match, Caller& caller) {
  const auto accept = request.header("accept");
  if (names(accept, "text/event-stream")) {
    return plan_stream(service, request, match, caller);
  }
  if (const auto admitted = admit_reader(service, request, caller); !admitted) {
    return problem(admitted.error());
  }
  const Form form = form_of(accept);
  if (form == Form::none) {
    return problem(wire::HttpCode::not_acceptable,
                   "events are application/json, application/cloudevents-batch+json, "
                   "application/x-ndjson or text/event-stream here");
  }
  const auto query = read_query(request, match.route);
  if (!query) return problem(query.error());
  auto filter = read_filter(service.log, *query, match.route);
  if (!filter) return problem(filter.error());
  const auto format = read_format(*query, form);
  if (!format) return problem(format.error());
  auto asked = std::make_shared<EventsRequest>();
  asked->caller = caller;
  asked->selection = {caller.viewer(), narrowed_by(std::move(*filter)), *format};
  asked->form = form;
  const auto page = read_events_query(service, *query, form);
  if (!page) return problem(page.error());
  asked->query = *page;
  asked->known_tags = request.header("if-none-match").value_or("");
  if (asked->query.wait.count() != 0) {
    asked->slot = service.subscribers.take();
    if (!asked->slot) return too_many_subscribers();
    auto of_key = service.limits.take_stream(caller.party);
    if (!of_key) return problem(of_key.error());
    asked->slot = both(std::move(asked->slot), std::move(*of_key));
  }
  asked->wait_until = from_now(asked->query.wait);
  asked->min_seq_until = from_now(service.options.read_wait_for);
  return Blocking{[&service, asked] { return attempt(service, asked, {}); }};
}

}  // namespace annals::server
