#include <array>

#include "server/handlers.hpp"
#include "server/route_parameters.hpp"
#include "server/routes.hpp"
#include "wire/cloud_event_writer.hpp"

namespace annals::server {

namespace {

using wire::HttpCode;

constexpr std::string_view json_type = "application/json";
constexpr std::string_view ndjson_type = "application/x-ndjson";
constexpr std::string_view sse_type = "text/event-stream";

// Bodies and answers, by call.

constexpr auto append_body = std::to_array<Media>({
    {json_type, "AppendBody"},
    {ndjson_type, "NewEvent"},
    {wire::cloud_event_type, "NewCloudEvent"},
    {wire::cloud_event_batch_type, "NewCloudEventBatch"},
});
constexpr auto appended_media = std::to_array<Media>({{json_type, "Appended"}});
constexpr auto known_media =
    std::to_array<Media>({{json_type, "Appended"}, {ndjson_type, "LineResult"}});
constexpr auto queued_media = std::to_array<Media>({{json_type, "Queued"}});
constexpr auto append_answers = std::to_array<Answer>({
    {201, "The events are durable.", appended_media},
    {200, "All of them were known already; or NDJSON, a result or a problem per line.",
     known_media},
    {202, "With `ack=queued`: the events wait to be written.", queued_media},
});

constexpr auto events_media = std::to_array<Media>({
    {json_type, "EventPage"},
    {wire::cloud_event_batch_type, "CloudEventBatch"},
    {ndjson_type, "Event"},
    {sse_type, "Frames"},
});
constexpr auto events_answers = std::to_array<Answer>({
    {200, "A page; or all events up to the head, one a line; or the stream.", events_media},
    {304, "The page has not changed since `If-None-Match`.", {}},
});
constexpr auto stream_media = std::to_array<Media>({{sse_type, "Frames"}});
constexpr auto stream_answers = std::to_array<Answer>({
    {200, "Frames until the client leaves; control frames have an event name.", stream_media},
});

constexpr auto event_media = std::to_array<Media>({
    {json_type, "EventOrPart"},
    {wire::cloud_event_type, "CloudEvent"},
    {"application/octet-stream", "Bytes"},
});
constexpr auto event_answers = std::to_array<Answer>({
    {200, "The event, or the exact bytes of one of its forms.", event_media},
    {304, "It has not changed since `If-None-Match`.", {}},
});

constexpr auto streams_media = std::to_array<Media>({{json_type, "StreamList"}});
constexpr auto streams_answers = std::to_array<Answer>({{200, "Streams by name.", streams_media}});
constexpr auto stream_head_media = std::to_array<Media>({{json_type, "StreamHead"}});
constexpr auto stream_head_answers =
    std::to_array<Answer>({{200, "How many events it has had.", stream_head_media}});
constexpr auto chain_media = std::to_array<Media>({{json_type, "StreamPage"}});
constexpr auto chain_answers =
    std::to_array<Answer>({{200, "A page in the stream's own numbers.", chain_media}});
constexpr auto verify_media = std::to_array<Media>({{json_type, "Verification"}});
constexpr auto verify_answers =
    std::to_array<Answer>({{200, "What was found, also when it is bad.", verify_media}});

constexpr auto ticket_media = std::to_array<Media>({{json_type, "Ticket"}});
constexpr auto ticket_answers =
    std::to_array<Answer>({{201, "The ticket, and when it ends.", ticket_media}});
constexpr auto log_media = std::to_array<Media>({{json_type, "LogInfo"}});
constexpr auto log_answers = std::to_array<Answer>({{200, "The log as it is now.", log_media}});
constexpr auto openapi_media = std::to_array<Media>({{json_type, "Document"}});
constexpr auto openapi_answers =
    std::to_array<Answer>({{200, "An OpenAPI 3.1 document.", openapi_media}});
constexpr auto metrics_media =
    std::to_array<Media>({{"text/plain; version=0.0.4; charset=utf-8", "Text"}});
constexpr auto metrics_answers =
    std::to_array<Answer>({{200, "Text exposition format.", metrics_media}});
constexpr auto health_media = std::to_array<Media>({{json_type, "Health"}});
constexpr auto healthz_answers = std::to_array<Answer>({{200, "It lives.", health_media}});
constexpr auto readyz_answers = std::to_array<Answer>({{200, "It is ready.", health_media}});

// Problems, by call.

constexpr auto append_problems = std::to_array<ProblemCode>({
    ErrorCode::invalid_event,
    ErrorCode::invalid_request,
    ErrorCode::unknown_parameter,
    HttpCode::unsupported_media_type,
    ErrorCode::version_conflict,
    ErrorCode::id_conflict,
    ErrorCode::partly_known,
    ErrorCode::client_msg_id_conflict,
    ErrorCode::idempotency_mismatch,
    ErrorCode::too_large,
    ErrorCode::busy,
    ErrorCode::frozen,
    ErrorCode::commit_unknown,
    ErrorCode::store_full,
});
constexpr auto events_problems = std::to_array<ProblemCode>({
    ErrorCode::invalid_request,
    ErrorCode::invalid_cursor,
    ErrorCode::invalid_filter,
    ErrorCode::unknown_parameter,
    HttpCode::not_acceptable,
    ErrorCode::resync_required,
    ErrorCode::too_many_subscribers,
    HttpCode::not_reached,
});
constexpr auto stream_problems = std::to_array<ProblemCode>({
    ErrorCode::invalid_request,
    ErrorCode::invalid_cursor,
    ErrorCode::invalid_filter,
    ErrorCode::unknown_parameter,
    ErrorCode::too_many_subscribers,
});
constexpr auto named_problems = std::to_array<ProblemCode>({
    ErrorCode::invalid_request,
    ErrorCode::unknown_parameter,
    ErrorCode::not_found,
});
constexpr auto chain_problems = std::to_array<ProblemCode>({
    ErrorCode::invalid_request,
    ErrorCode::invalid_cursor,
    ErrorCode::unknown_parameter,
    ErrorCode::not_found,
    ErrorCode::resync_required,
});
constexpr auto verify_problems = std::to_array<ProblemCode>({
    ErrorCode::invalid_request,
    ErrorCode::unknown_parameter,
    ErrorCode::not_found,
    ErrorCode::busy,
});
constexpr auto ticket_problems = std::to_array<ProblemCode>({
    ErrorCode::invalid_request,
    ErrorCode::unknown_parameter,
    ErrorCode::busy,
});
constexpr auto query_problems = std::to_array<ProblemCode>({
    ErrorCode::invalid_request,
    ErrorCode::unknown_parameter,
});

constexpr auto table = std::to_array<Route>({
    {.method = Method::post,
     .pattern = "/v1/events",
     .handler = plan_append,
     .id = "appendEvents",
     .summary = "Append one event, an array, NDJSON, or CloudEvents",
     .description = "One event and an array are one transaction. Lines of NDJSON are committed in "
                    "groups while they arrive, and each is answered with a line. CloudEvents are "
                    "taken in structured, batch and binary mode.",
     .audience = Audience::appender,
     .query = append_query,
     .fields = append_fields,
     .body = append_body,
     .answers = append_answers,
     .problems = append_problems},
    {.method = Method::get,
     .pattern = "/v1/events",
     .handler = plan_events,
     .id = "readEvents",
     .summary = "A page of events, all of them, or the SSE stream",
     .description = "`Accept` chooses: `application/json` a page, "
                    "`application/cloudevents-batch+json` a page as CloudEvents with its counters "
                    "in the head (`Annals-Next-After`, `Annals-Next-Before`, `Annals-Head`, "
                    "`Annals-Oldest`, `Annals-Log-Id`, `Annals-Caught-Up`), `application/x-ndjson` "
                    "everything up to the head, `text/event-stream` the stream.",
     .audience = Audience::reader,
     .query = events_query,
     .filters = true,
     .fields = events_fields,
     .answers = events_answers,
     .problems = events_problems},
    {.method = Method::get,
     .pattern = "/v1/events/stream",
     .handler = plan_stream,
     .id = "followEvents",
     .summary = "Events as server-sent events",
     .description = "For clients that cannot set `Accept`. Resumes after `Last-Event-ID`.",
     .audience = Audience::reader,
     .query = stream_query,
     .filters = true,
     .fields = stream_fields,
     .answers = stream_answers,
     .problems = stream_problems},
    {.method = Method::get,
     .pattern = "/v1/events/{event}",
     .handler = plan_event,
     .id = "readEvent",
     .summary = "One event by seq or id",
     .description = "`Accept` chooses: `application/json` the envelope, "
                    "`application/cloudevents+json` a CloudEvent, `application/cloudevents` one in "
                    "binary mode, its attributes in the head.",
     .audience = Audience::reader,
     .path = event_path,
     .query = event_query,
     .fields = event_fields,
     .answers = event_answers,
     .problems = named_problems},
    {.method = Method::get,
     .pattern = "/v1/streams",
     .handler = plan_streams,
     .id = "listStreams",
     .summary = "Streams by prefix, with head and version",
     .audience = Audience::admin,
     .query = streams_query,
     .answers = streams_answers,
     .problems = query_problems},
    {.method = Method::get,
     .pattern = "/v1/streams/{stream}",
     .handler = plan_stream_head,
     .id = "readStreamHead",
     .summary = "Head and version of a stream",
     .audience = Audience::admin,
     .path = stream_path,
     .answers = stream_head_answers,
     .problems = named_problems},
    {.method = Method::get,
     .pattern = "/v1/streams/{stream}/events",
     .handler = plan_stream_events,
     .id = "readStream",
     .summary = "A page of one stream",
     .audience = Audience::reader,
     .path = stream_path,
     .query = chain_query,
     .answers = chain_answers,
     .problems = chain_problems},
    {.method = Method::get,
     .pattern = "/v1/streams/{stream}/verify",
     .handler = plan_stream_verify,
     .id = "verifyStream",
     .summary = "Verify one chain",
     .description = "One chain at a time; the next is `busy`.",
     .audience = Audience::admin,
     .path = stream_path,
     .answers = verify_answers,
     .problems = verify_problems},
    {.method = Method::post,
     .pattern = "/v1/tickets",
     .handler = plan_ticket,
     .id = "createTicket",
     .summary = "A ticket that does once instead of the key",
     .description = "For clients that cannot send headers, such as an EventSource, or must hold no "
                    "key: `ticket` in the query of any other call. The key is looked at again when "
                    "the ticket is used. A ticket makes no other ticket.",
     .audience = Audience::key,
     .tickets = false,
     .answers = ticket_answers,
     .problems = ticket_problems},
    {.method = Method::get,
     .pattern = "/v1/log",
     .handler = plan_log,
     .id = "readLog",
     .summary = "The log's counters, limits and versions",
     .audience = Audience::key,
     .answers = log_answers,
     .problems = query_problems},
    {.method = Method::get,
     .pattern = "/openapi.json",
     .handler = plan_openapi,
     .id = "readOpenApi",
     .summary = "This interface as an OpenAPI document",
     .answers = openapi_answers,
     .problems = query_problems},
    {.method = Method::get,
     .pattern = "/metrics",
     .handler = plan_metrics,
     .id = "readMetrics",
     .summary = "Metrics for Prometheus",
     .audience = Audience::metrics,
     .answers = metrics_answers,
     .problems = query_problems},
    {.method = Method::get,
     .pattern = "/healthz",
     .handler = plan_healthz,
     .id = "isAlive",
     .summary = "The process lives",
     .closed = false,
     .answers = healthz_answers},
    {.method = Method::get,
     .pattern = "/readyz",
     .handler = plan_readyz,
     .id = "isReady",
     .summary = "The store answers and delivery moves",
     .closed = false,
     .answers = readyz_answers},
});

constexpr auto key_problems = std::to_array<ProblemCode>({
    ErrorCode::not_authenticated,
    ErrorCode::not_allowed,
});
constexpr auto metrics_problems = std::to_array<ProblemCode>({ErrorCode::not_authenticated});
constexpr auto every_problem = std::to_array<ProblemCode>({
    HttpCode::request_timeout,
    HttpCode::expectation_failed,
    HttpCode::header_too_large,
    ErrorCode::rate_limited,
    ErrorCode::store_corrupt,
    ErrorCode::internal,
    ErrorCode::store_unavailable,
});

}  // namespace

std::span<const Route> routes() noexcept {
  return table;
}

std::span<const ProblemCode> problems_of(Audience audience) noexcept {
  if (audience == Audience::everybody) return {};
  if (audience == Audience::metrics) return metrics_problems;
  return key_problems;
}

std::span<const ProblemCode> common_problems() noexcept {
  return every_problem;
}

}  // namespace annals::server
