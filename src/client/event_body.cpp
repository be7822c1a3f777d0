#include "client/event_body.hpp"

#include <algorithm>
#include <utility>

#include "client/event_ids.hpp"
#include "core/json.hpp"
#include "wire/event_writer.hpp"

namespace annals::client {

namespace {

/// What keeps a payload from being one value of a larger text. All other rules are the server's.
std::optional<Violation> payload_violation(const std::string& payload, std::size_t index) {
  const auto compact = core::json::compact_payload(payload, NullPolicy::strip);
  if (compact) return std::nullopt;
  const auto& problem = compact.error();
  return Violation{index, "/payload" + problem.pointer, problem.rule, problem.message};
}

std::unexpected<Error> invalid_event(std::vector<Violation> violations) {
  Error error{ErrorCode::invalid_event, violations.front().message, {}, {}};
  error.details = InvalidEvent{std::move(violations)};
  return std::unexpected(std::move(error));
}

void append_line(std::string& out, const NewEvent& event,
                 const std::optional<ExpectedVersion>& expected) {
  const std::size_t begin = out.size();
  wire::append_new_event(out, event, expected);
  // Between tokens a line end means nothing; within a text it cannot stand raw.
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

}  // namespace

Result<std::string> event_line(NewEvent& event, std::size_t index,
                               const std::optional<ExpectedVersion>& expected) {
  if (auto violation = payload_violation(event.payload, index)) {
    return invalid_event({std::move(*violation)});
  }
  if (!event.id) event.id = new_event_id();
  std::string out;
  append_line(out, event, expected);
  return out;
}

Result<std::string> events_body(
    std::vector<NewEvent>& events,
    const std::map<std::string, ExpectedVersion, std::less<>>& expected_versions, Ids ids) {
  if (events.empty()) return fail(ErrorCode::invalid_request, "there is no event to append");
  std::vector<Violation> violations;
  auto left = expected_versions;
  std::string out = "[";
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (auto violation = payload_violation(events[i].payload, i)) {
      violations.push_back(std::move(*violation));
    }
    std::optional<ExpectedVersion> expected;
    if (events[i].stream) {
      if (const auto found = left.find(*events[i].stream); found != left.end()) {
        expected = found->second;
        left.erase(found);
      }
    }
    if (i > 0) out += ',';
    if (ids == Ids::make && !events[i].id) events[i].id = new_event_id();
    append_line(out, events[i], expected);
  }
  if (!violations.empty()) return invalid_event(std::move(violations));
  if (!left.empty()) {
    return fail(ErrorCode::invalid_request,
                "an expected version over HTTP stands with an event of its stream");
  }
  return out + "]";
}

}  // namespace annals::client
