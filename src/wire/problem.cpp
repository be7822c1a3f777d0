#include "wire/problem.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "annals/uuid.hpp"
#include "wire/resync.hpp"
#include "wire/text.hpp"

namespace annals::wire {

namespace {

/// What a person reads first: short, and the same for every occurrence of the code.
std::string_view title_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_event:
      return "An event breaks a rule";
    case ErrorCode::invalid_request:
      return "The request is malformed";
    case ErrorCode::invalid_cursor:
      return "The cursor is malformed";
    case ErrorCode::invalid_filter:
      return "A filter value is malformed";
    case ErrorCode::unknown_parameter:
      return "There is no such parameter";
    case ErrorCode::unit_open:
      return "A unit of work is open";
    case ErrorCode::not_authenticated:
      return "No valid key was given";
    case ErrorCode::not_allowed:
      return "The key does not allow this";
    case ErrorCode::not_found:
      return "Not found";
    case ErrorCode::version_conflict:
      return "A stream is not at the expected version";
    case ErrorCode::id_conflict:
      return "The id is known with other content";
    case ErrorCode::partly_known:
      return "Some of the events are known already";
    case ErrorCode::client_msg_id_conflict:
      return "The client_msg_id was used for other content";
    case ErrorCode::blob_kind_conflict:
      return "The bytes are stored under another kind";
    case ErrorCode::idempotency_mismatch:
      return "The Idempotency-Key was used for another request";
    case ErrorCode::resync_required:
      return "The position cannot be continued";
    case ErrorCode::too_large:
      return "A limit is exceeded";
    case ErrorCode::rate_limited:
      return "Too many requests";
    case ErrorCode::busy:
      return "The log is busy";
    case ErrorCode::frozen:
      return "Appends are stopped for a while";
    case ErrorCode::too_many_subscribers:
      return "No subscriber slot is free";
    case ErrorCode::store_unavailable:
      return "The store cannot be reached";
    case ErrorCode::commit_unknown:
      return "It is unknown whether the events were stored";
    case ErrorCode::store_full:
      return "The store is full";
    case ErrorCode::store_corrupt:
      return "Stored data contradicts itself";
    case ErrorCode::internal:
      return "A defect of the program";
  }
  return "A defect of the program";
}

std::string_view title_of(HttpCode code) noexcept {
  switch (code) {
    case HttpCode::method_not_allowed:
      return "The method is not allowed here";
    case HttpCode::not_acceptable:
      return "No acceptable rendering";
    case HttpCode::request_timeout:
      return "The request took too long";
    case HttpCode::unsupported_media_type:
      return "The content type is not supported";
    case HttpCode::expectation_failed:
      return "The expectation cannot be met";
    case HttpCode::header_too_large:
      return "The head of the request is too large";
    case HttpCode::not_reached:
      return "The log has not reached the position";
  }
  return "The request cannot be answered";
}

void append_members(std::string& out, std::string_view code, std::string_view title, int status,
                    std::string_view detail) {
  append_member(out, "type", "/problems/" + std::string{code});
  append_member(out, "title", title);
  append_member(out, "status", static_cast<std::uint64_t>(status));
  append_member(out, "code", code);
  if (!detail.empty()) {
    append_name(out, "detail");
    append_any_string(out, detail);
  }
}

template <typename Items, typename Append>
void append_list(std::string& out, std::string_view name, const Items& items, Append append) {
  append_name(out, name);
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    append(item);
  }
  out += ']';
}

/// Appends the members of an error's details.
struct DetailWriter {
  std::string& out;

  void operator()(std::monostate) const {}

  void operator()(const InvalidEvent& invalid) const {
    append_list(out, "violations", invalid.violations, [this](const Violation& violation) {
      out += '{';
      append_member(out, "index", violation.index);
      append_name(out, "pointer");
      append_any_string(out, violation.pointer);
      append_member(out, "rule", violation.rule);
      append_name(out, "message");
      append_any_string(out, violation.message);
      out += '}';
    });
  }

  void operator()(const NotAllowed& denied) const {
    append_name(out, "refused_type");
    append_any_string(out, denied.refused_type);
    std::vector<std::string> types = denied.allowed_types;
    std::ranges::sort(types);
    append_list(out, "allowed_types", types,
                [this](const std::string& type) { append_any_string(out, type); });
  }

  void operator()(const VersionConflict& conflict) const {
    append_list(out, "streams", conflict.streams, [this](const StreamVersion& stream) {
      out += '{';
      append_name(out, "stream");
      append_any_string(out, stream.stream);
      append_member(out, "version", stream.version);
      if (stream.head_hash) append_member(out, "head_hash", to_hex(*stream.head_hash));
      out += '}';
    });
  }

  void operator()(const KnownEvents& known) const {
    append_list(out, "events", known.events, [this](const KnownEvents::Known& event) {
      out += '{';
      append_member(out, "index", event.index);
      append_member(out, "id", to_string(event.id));
      if (event.seq != 0) append_member(out, "seq", event.seq);
      out += '}';
    });
  }

  void operator()(const Resync& resync) const { append_resync_members(out, resync); }

  void operator()(const LimitExceeded& exceeded) const {
    append_name(out, "limit");
    out += '{';
    append_member(out, "name", exceeded.name);
    append_member(out, "value", exceeded.limit);
    out += '}';
  }
};

}  // namespace

int http_status(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::not_authenticated:
      return 401;
    case ErrorCode::idempotency_mismatch:
      return 422;
    case ErrorCode::rate_limited:
      return 429;
    default:
      break;
  }
  switch (kind_of(code)) {
    case ErrorKind::invalid:
      return 400;
    case ErrorKind::denied:
      return 403;
    case ErrorKind::not_found:
      return 404;
    case ErrorKind::conflict:
      return 409;
    case ErrorKind::resync_required:
      return 410;
    case ErrorKind::too_large:
      return 413;
    case ErrorKind::busy:
    case ErrorKind::unavailable:
      return 503;
    case ErrorKind::full:
      return 507;
    case ErrorKind::corrupt:
    case ErrorKind::internal:
      return 500;
  }
  return 500;
}

int http_status(HttpCode code) noexcept {
  switch (code) {
    case HttpCode::method_not_allowed:
      return 405;
    case HttpCode::not_acceptable:
      return 406;
    case HttpCode::request_timeout:
      return 408;
    case HttpCode::unsupported_media_type:
      return 415;
    case HttpCode::expectation_failed:
      return 417;
    case HttpCode::header_too_large:
      return 431;
    case HttpCode::not_reached:
      return 503;
  }
  return 500;
}

std::string_view to_string(HttpCode code) noexcept {
  switch (code) {
    case HttpCode::method_not_allowed:
      return "method_not_allowed";
    case HttpCode::not_acceptable:
      return "not_acceptable";
    case HttpCode::request_timeout:
      return "request_timeout";
    case HttpCode::unsupported_media_type:
      return "unsupported_media_type";
    case HttpCode::expectation_failed:
      return "expectation_failed";
    case HttpCode::header_too_large:
      return "header_too_large";
    case HttpCode::not_reached:
      return "not_reached";
  }
  return "internal";
}

void append_problem_members(std::string& out, const Error& error) {
  append_members(out, annals::to_string(error.code), title_of(error.code), http_status(error.code),
                 error.detail);
  std::visit(DetailWriter{out}, error.details);
}

std::string problem_json(const Error& error) {
  std::string out = "{";
  append_problem_members(out, error);
  out += '}';
  return out;
}

std::string problem_json(HttpCode code, std::string_view detail) {
  std::string out = "{";
  append_members(out, to_string(code), title_of(code), http_status(code), detail);
  out += '}';
  return out;
}

}  // namespace annals::wire
