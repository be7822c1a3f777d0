#include "wire/cursor_query.hpp"

#include <string>
#include <utility>
#include <variant>

#include "core/cursor.hpp"

namespace annals::wire {

namespace {

using Start = CursorQuery::Start;

Result<void> read_guards(const Query& query, CursorQuery& cursor) {
  if (const auto text = query.value("log_id")) {
    cursor.log_id = parse_uuid(*text);
    if (!cursor.log_id) return fail(ErrorCode::invalid_request, "log_id must be a UUID");
  }
  if (const auto text = query.value("incarnation")) {
    const auto number = core::parse_cursor(*text);
    if (!number) return fail(ErrorCode::invalid_request, "incarnation must be a number");
    cursor.incarnation = *number;
  }
  return {};
}

Result<void> read_from(std::string_view text, CursorQuery& cursor) {
  if (text == "oldest") {
    cursor.start = Start::oldest;
  } else if (text == "latest") {
    cursor.start = Start::latest;
  } else if (const auto time = parse_timestamp(text)) {
    cursor.start = Start::time;
    cursor.time = *time;
  } else {
    return fail(ErrorCode::invalid_cursor, "from must be 'oldest', 'latest' or a time of RFC 3339");
  }
  return {};
}

Result<void> refuse_both(const Query& query, std::string_view one, std::string_view other) {
  if (query.value(one) && query.value(other)) {
    return fail(ErrorCode::invalid_request,
                std::string{one} + " and " + std::string{other} + " exclude each other");
  }
  return {};
}

}  // namespace

Result<CursorQuery> read_page_cursor(const Query& query) {
  CursorQuery cursor;
  if (auto guards = read_guards(query, cursor); !guards) return std::unexpected(guards.error());
  if (auto both = refuse_both(query, "after", "from"); !both) return std::unexpected(both.error());
  if (const auto text = query.value("after")) {
    const auto after = core::parse_cursor(*text);
    if (!after) return std::unexpected(after.error());
    cursor.start = Start::after;
    cursor.after = *after;
  } else if (const auto from = query.value("from")) {
    if (auto read = read_from(*from, cursor); !read) return std::unexpected(read.error());
  }
  return cursor;
}

Result<CursorQuery> read_stream_cursor(const Query& query,
                                       std::optional<std::string_view> last_event_id) {
  CursorQuery cursor;
  if (auto guards = read_guards(query, cursor); !guards) return std::unexpected(guards.error());
  for (const std::string_view name : {"after", "last_event_id"}) {
    if (auto both = refuse_both(query, name, "from"); !both) return std::unexpected(both.error());
  }
  if (auto both = refuse_both(query, "after", "last_event_id"); !both) {
    return std::unexpected(both.error());
  }
  auto text = last_event_id && !last_event_id->empty() ? last_event_id : query.value("after");
  if (!text) text = query.value("last_event_id");
  if (text) {
    const auto after = core::parse_cursor(*text);
    cursor.start = after ? Start::after : Start::malformed;
    cursor.after = after.value_or(0);
  } else if (const auto from = query.value("from")) {
    if (auto read = read_from(*from, cursor); !read) return std::unexpected(read.error());
  }
  return cursor;
}

Position settle(const CursorQuery& cursor, const LogState& state, std::uint64_t otherwise) {
  const std::uint64_t head = state.event_seq;
  const auto rebase = [&](std::string reason) {
    return Position{head, Resync{std::move(reason), state.oldest, head, 0, 0}};
  };
  if (cursor.log_id && *cursor.log_id != state.log_id) return rebase("other_log");
  if (cursor.incarnation && *cursor.incarnation != state.incarnation) {
    return rebase("other_incarnation");
  }
  switch (cursor.start) {
    case Start::absent:
    case Start::time:
      return {otherwise, {}};
    case Start::oldest:
      return {state.oldest - 1, {}};
    case Start::latest:
      return {head, {}};
    case Start::malformed:
      return rebase("malformed");
    case Start::after:
      break;
  }
  const auto valid = core::check_cursor(cursor.after, state.oldest, head);
  if (valid) return {cursor.after, {}};
  const auto* lost = std::get_if<Resync>(&valid.error().details);
  if (lost == nullptr) return rebase("malformed");
  return {lost->reason == "expired" ? state.oldest - 1 : head, *lost};
}

Error resync_error(const Resync& resync) {
  const std::string detail = resync.reason == "expired"
                                 ? "the events after the cursor are no longer kept"
                                 : "the cursor does not belong to this log as it is now";
  return Error{ErrorCode::resync_required, detail, resync, {}};
}

}  // namespace annals::wire
