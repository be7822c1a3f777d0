#include "wire/event_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/json.hpp"
#include "wire/json_split.hpp"
#include "wire/member_reader.hpp"

namespace annals::wire {

namespace {

using core::json::Reader;
using core::json::Type;

std::optional<std::uint64_t> parse_whole(std::string_view spelled) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(spelled.data(), spelled.data() + spelled.size(), value);
  if (error != std::errc{} || end != spelled.data() + spelled.size()) return std::nullopt;
  return value;
}

/// A whole number from 0 to `max`, spelled without sign, fraction or exponent.
std::optional<std::uint64_t> read_whole(Reader& reader, std::uint64_t max, const Place& place) {
  std::string_view spelled;
  if (!expect(reader, Type::number, place) || !reader.read_number(spelled)) return std::nullopt;
  const auto value = parse_whole(spelled);
  if (value && *value <= max) return value;
  place.violate("range", "must be a whole number from 0 to " + std::to_string(max));
  return std::nullopt;
}

void read_actor(Reader& reader, std::optional<Actor>& out, const Place& place) {
  if (!expect(reader, Type::object, place) || !reader.begin_object()) return;
  Actor actor;
  bool has_kind = false;
  std::string name;
  while (reader.next_member(name)) {
    const Place member = place.member(name);
    if (name == "kind") {
      has_kind = true;
      std::string text;
      if (!read_text(reader, text, member)) continue;
      const auto kind = parse_actor_kind(text);
      if (kind) {
        actor.kind = *kind;
      } else {
        member.violate("enum", "must be user, agent, app or system");
      }
    } else if (name == "id") {
      read_optional_text(reader, actor.id, member);
    } else {
      unknown_member(reader, member);
    }
  }
  if (reader.problem()) return;
  if (!has_kind) place.member("kind").violate("required", "an actor needs a kind");
  out = std::move(actor);
}

void read_scope(Reader& reader, Scope& out, const Place& place) {
  if (!expect(reader, Type::object, place) || !reader.begin_object()) return;
  std::string name;
  while (reader.next_member(name)) {
    const Place member = place.member(name);
    if (name == "space_id") {
      read_optional_text(reader, out.space_id, member);
    } else if (name == "channel_id") {
      read_optional_text(reader, out.channel_id, member);
    } else if (name == "thread_id") {
      read_optional_text(reader, out.thread_id, member);
    } else {
      unknown_member(reader, member);
    }
  }
}

void read_resource(Reader& reader, Resource& out, const Place& place) {
  if (!expect(reader, Type::object, place) || !reader.begin_object()) return;
  std::string name;
  while (reader.next_member(name)) {
    const Place member = place.member(name);
    if (name == "kind") {
      read_optional_text(reader, out.kind, member);
    } else if (name == "id") {
      read_optional_text(reader, out.id, member);
    } else if (name == "version") {
      out.version = read_whole(reader, max_seq, member);
    } else {
      unknown_member(reader, member);
    }
  }
}

void read_labels(Reader& reader, Labels& out, const Place& place) {
  if (!expect(reader, Type::object, place) || !reader.begin_object()) return;
  std::string name;
  while (reader.next_member(name)) {
    std::string value;
    if (read_text(reader, value, place.member(name))) out.emplace(name, std::move(value));
  }
}

void read_expected(Reader& reader, std::optional<ExpectedVersion>& out, const Place& place) {
  using Kind = ExpectedVersion::Kind;
  const auto type = reader.peek();
  if (type == Type::number) {
    const auto version = read_whole(reader, max_seq, place);
    if (version) out = ExpectedVersion{Kind::exactly, *version};
    return;
  }
  std::string word;
  if (!read_text(reader, word, place)) return;
  if (word == "any") {
    out = ExpectedVersion{Kind::any, 0};
  } else if (word == "none") {
    out = ExpectedVersion{Kind::none, 0};
  } else if (word == "exists") {
    out = ExpectedVersion{Kind::exists, 0};
  } else {
    place.violate("enum", "must be \"any\", \"none\", \"exists\" or a number");
  }
}

void read_flag(Reader& reader, bool& out, const Place& place) {
  if (expect(reader, Type::boolean, place)) reader.read_boolean(out);
}

void read_schema_version(Reader& reader, std::uint32_t& out, const Place& place) {
  const auto version = read_whole(reader, std::numeric_limits<std::int32_t>::max(), place);
  if (version) out = static_cast<std::uint32_t>(*version);
}

using ReadMember = void (*)(Reader&, IncomingEvent&, const Place&);

struct Member {
  std::string_view name;
  ReadMember read;
};

/// Everything a producer may send.
constexpr auto members = std::to_array<Member>({
    {"id", [](Reader& r, IncomingEvent& e, const Place& p) { read_uuid(r, e.event.id, p); }},
    {"type",
     [](Reader& r, IncomingEvent& e, const Place& p) { (void)read_text(r, e.event.type, p); }},
    {"schema_version", [](Reader& r, IncomingEvent& e,
                          const Place& p) { read_schema_version(r, e.event.schema_version, p); }},
    {"source",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_optional_text(r, e.event.source, p); }},
    {"stream",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_optional_text(r, e.event.stream, p); }},
    {"occurred_at",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_time(r, e.event.occurred_at, p); }},
    {"actor", [](Reader& r, IncomingEvent& e, const Place& p) { read_actor(r, e.event.actor, p); }},
    {"scope", [](Reader& r, IncomingEvent& e, const Place& p) { read_scope(r, e.event.scope, p); }},
    {"resource",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_resource(r, e.event.resource, p); }},
    {"audience", [](Reader& r, IncomingEvent& e,
                    const Place& p) { read_optional_text(r, e.event.audience, p); }},
    {"receive_action", [](Reader& r, IncomingEvent& e,
                          const Place& p) { read_optional_text(r, e.event.receive_action, p); }},
    {"labels",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_labels(r, e.event.labels, p); }},
    {"correlation_id",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_uuid(r, e.event.correlation_id, p); }},
    {"causation_id",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_uuid(r, e.event.causation_id, p); }},
    {"payload",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_object(r, e.event.payload, p); }},
    {"truncated",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_flag(r, e.event.truncated, p); }},
    {"client_msg_id", [](Reader& r, IncomingEvent& e,
                         const Place& p) { read_optional_text(r, e.event.client_msg_id, p); }},
    {"expected_version",
     [](Reader& r, IncomingEvent& e, const Place& p) { read_expected(r, e.expected, p); }},
});

void read_members(Reader& reader, IncomingEvent& event, const Place& place) {
  if (!expect(reader, Type::object, place) || !reader.begin_object()) return;
  std::string name;
  while (reader.next_member(name)) {
    const Place member = place.member(name);
    const auto known = std::ranges::find(members, name, &Member::name);
    if (known == members.end()) {
      unknown_member(reader, member);
    } else {
      known->read(reader, event, member);
    }
  }
}

/// Adds the expectation of the event at `index` to those of the request; false when it contradicts
/// an earlier one.
bool add_expectation(IncomingRequest& request, const IncomingEvent& incoming, std::size_t index) {
  if (!incoming.expected) return true;
  if (!incoming.event.stream) {
    if (incoming.expected->kind != ExpectedVersion::Kind::any) {
      request.violations.push_back(
          {index, "/expected_version", "stream_required", "an expectation needs a stream"});
    }
    return true;
  }
  const auto [known, added] =
      request.expected_versions.emplace(*incoming.event.stream, *incoming.expected);
  return added || known->second == *incoming.expected;
}

}  // namespace

IncomingEvent read_event(std::string_view json, std::size_t index,
                         std::vector<Violation>& violations) {
  IncomingEvent event;
  Reader reader{json};
  const Place place{index, violations};
  read_members(reader, event, place);
  if (!reader.problem()) reader.finish();
  if (const auto& problem = reader.problem()) {
    event.complete = false;
    violations.push_back({index, problem->pointer, problem->rule, problem->message});
  }
  return event;
}

Result<IncomingRequest> read_request(std::string_view body, std::size_t max_events, ReadOne read) {
  if (body.empty()) return fail(ErrorCode::invalid_request, "the body is empty");
  IncomingRequest request;
  request.array = is_array(body);
  std::vector<std::string_view> texts{body};
  if (request.array) {
    auto elements = split_array(body, max_events);
    if (!elements) return std::unexpected(std::move(elements.error()));
    if (elements->empty()) return fail(ErrorCode::invalid_request, "the array has no events");
    texts = std::move(*elements);
  }
  request.events.reserve(texts.size());
  bool contradiction = false;
  for (std::size_t index = 0; index < texts.size(); ++index) {
    IncomingEvent incoming = read(texts[index], index, request.violations);
    if (!incoming.complete) request.incomplete.push_back(index);
    contradiction |= !add_expectation(request, incoming, index);
    request.events.push_back(std::move(incoming.event));
    if (incoming.traceparent) {
      request.traceparents.resize(index);
      request.traceparents.push_back(std::move(incoming.traceparent));
    }
  }
  if (contradiction && request.violations.empty()) {
    return fail(ErrorCode::invalid_request,
                "two events of one stream state different expected versions; an expectation is "
                "about the version before the request");
  }
  return request;
}

}  // namespace annals::wire
