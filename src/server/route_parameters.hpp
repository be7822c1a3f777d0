#pragma once

#include <array>
#include <string_view>

#include "server/route.hpp"

namespace annals::server {

// The parameters of the calls in route_table.cpp: all constants.

inline constexpr auto ack_choices = std::to_array<std::string_view>({"durable", "queued"});
inline constexpr auto order_choices = std::to_array<std::string_view>({"asc", "desc"});
inline constexpr auto format_choices =
    std::to_array<std::string_view>({"envelope", "payload", "cloudevents"});
inline constexpr auto form_choices = std::to_array<std::string_view>({"header", "meta", "payload"});
inline constexpr auto flag_choices = std::to_array<std::string_view>({"0", "1"});

inline constexpr auto append_query = std::to_array<Parameter>({
    {"ack", ValueForm::choice,
     "When to answer: with `durable` (the default) when the events survive a power loss, with "
     "`queued` at once. `queued` takes no `expected_version` and no `Idempotency-Key`.",
     Use::any, ack_choices},
});
inline constexpr auto append_fields = std::to_array<Parameter>({
    {"Idempotency-Key", ValueForm::text,
     "1 to 200 bytes; the same key with the same request gets the same answer. Not with NDJSON."},
    {"traceparent", ValueForm::text, "W3C trace context: gives `correlation_id` where none is."},
    {"ce-specversion", ValueForm::text,
     "`1.0`: the body is the data of a CloudEvent in binary mode, and its other attributes stand "
     "in "
     "fields like this one: `ce-id`, `ce-source`, `ce-type`, ..."},
});

// What pages and streams of the log have in common.
inline constexpr Parameter after_parameter{
    "after", ValueForm::cursor, "Strictly after this number. Not with `from`; empty is absent."};
inline constexpr Parameter from_parameter{
    "from", ValueForm::start,
    "`oldest`, `latest`, or a time of recording (RFC 3339), instead of `after`."};
inline constexpr Parameter log_id_parameter{
    "log_id", ValueForm::uuid, "The log the position was learnt from; another one is a resync."};
inline constexpr Parameter incarnation_parameter{"incarnation", ValueForm::cursor,
                                                 "And its incarnation."};
inline constexpr Parameter format_parameter{
    "format", ValueForm::choice,
    "How an event is shown: as its `envelope` (the default), as its `payload`, the producer's "
    "object "
    "alone, or in `cloudevents`. Control frames are the same in all.",
    Use::any, format_choices};

/// The same parameter, known in some renderings only.
constexpr Parameter only(Use use, Parameter parameter) noexcept {
  parameter.use = use;
  return parameter;
}

inline constexpr Parameter limit_parameter{"limit", ValueForm::count,
                                           "Most events, 1 to 1000, 100 when absent."};
inline constexpr Parameter order_parameter{"order", ValueForm::choice,
                                           "`asc` (the default), or `desc`: the newest first.",
                                           Use::any, order_choices};
inline constexpr Parameter before_parameter{"before", ValueForm::cursor,
                                            "With `order=desc`: strictly before this number."};
inline constexpr Parameter last_event_id_parameter{
    "last_event_id", ValueForm::cursor, "The same as `after`; the header `Last-Event-ID` wins."};

inline constexpr auto events_query = std::to_array<Parameter>({
    after_parameter,
    from_parameter,
    {"limit", ValueForm::count,
     "Most events: 1 to 1000 on a page, 100 when absent; any number of NDJSON lines.", Use::page},
    only(Use::page, order_parameter),
    only(Use::page, before_parameter),
    {"last", ValueForm::count, "The newest N, 1 to 1000, oldest first; stands alone.", Use::page},
    {"min_seq", ValueForm::cursor, "Answer when the log has got this far, else `not_reached`.",
     Use::page},
    {"wait", ValueForm::duration,
     "Hold an empty page back until there is something, such as `30s`, at most a minute.",
     Use::page},
    only(Use::stream, last_event_id_parameter),
    log_id_parameter,
    incarnation_parameter,
    format_parameter,
});
inline constexpr Parameter last_event_id_field{
    "Last-Event-ID", ValueForm::cursor,
    "Streams: go on strictly after this number. Wins over the query."};
inline constexpr Parameter if_none_match_field{"If-None-Match", ValueForm::text,
                                               "An `ETag` of before: 304 as long as it holds."};
inline constexpr auto events_fields =
    std::to_array<Parameter>({last_event_id_field, if_none_match_field});

inline constexpr auto stream_query = std::to_array<Parameter>({
    after_parameter,
    last_event_id_parameter,
    from_parameter,
    log_id_parameter,
    incarnation_parameter,
    format_parameter,
});
inline constexpr auto stream_fields = std::to_array<Parameter>({last_event_id_field});

inline constexpr auto event_path = std::to_array<Parameter>({
    {"event", ValueForm::text, "The event's `seq` or `id`."},
});
inline constexpr auto event_query = std::to_array<Parameter>({
    {"form", ValueForm::choice, "The exact bytes of one part instead of the envelope.", Use::any,
     form_choices},
    {"hashed", ValueForm::choice,
     "With `form`: 1 puts the previous hash or the salt in front, raw.", Use::any, flag_choices},
});
inline constexpr auto event_fields = std::to_array<Parameter>({if_none_match_field});

inline constexpr auto streams_query = std::to_array<Parameter>({
    {"prefix", ValueForm::text, "What the names begin with."},
    {"after", ValueForm::text, "Strictly after this name."},
    {"limit", ValueForm::count, "Most streams, 1 to 1000, 100 when absent."},
});
inline constexpr auto stream_path = std::to_array<Parameter>({
    {"stream", ValueForm::text, "The stream's name, percent-encoded."},
});
inline constexpr auto chain_query = std::to_array<Parameter>({
    {"after", ValueForm::cursor, "Strictly after this `stream_seq`."},
    before_parameter,
    limit_parameter,
    order_parameter,
});

}  // namespace annals::server
