#include "cli/event_options.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/cursor.hpp"

namespace annals::cli {
namespace {

constexpr auto usage_uuid = " needs a UUID in 8-4-4-4-12 form";

/// `kind/id` to kind and id; the id is absent without a slash.
std::pair<std::string, std::optional<std::string>> split_kind(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return {text, std::nullopt};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

Outcome<std::optional<Uuid>> read_uuid(const std::optional<std::string>& text, const char* option) {
  if (!text) return std::optional<Uuid>{};
  const auto uuid = parse_uuid(*text);
  if (!uuid) return wrong_usage(std::string(option) + usage_uuid);
  return uuid;
}

std::string read_all(std::istream& input) {
  return {std::istreambuf_iterator<char>(input), {}};
}

}  // namespace

Outcome<ExpectedVersion> parse_expected(const std::string& text) {
  if (text == "any") return ExpectedVersion{};
  if (text == "none") return ExpectedVersion{.kind = ExpectedVersion::Kind::none};
  if (text == "exists") return ExpectedVersion{.kind = ExpectedVersion::Kind::exists};
  const auto version = core::parse_cursor(text);
  if (!version) {
    return wrong_usage("--expect needs any, none, exists or the number of events in the stream");
  }
  return ExpectedVersion{.kind = ExpectedVersion::Kind::exactly, .version = *version};
}

void EventOptions::add_to(CLI::App& command) {
  const auto add = [this, &command](const char* name, auto& value, const char* description,
                                    const char* kind = "TEXT") {
    auto* option = command.add_option(name, value, description)->type_name(kind)->group("Event");
    options_.push_back(option);
    return option;
  };
  add("--type", type_, "Type, such as order.paid");
  add("--payload", payload_, "JSON object, @FILE, or - for standard input (default {})", "JSON");
  add("--stream", stream_, "Stream whose chain it joins");
  add("--label", labels_, "Label; may be repeated", "NAME=VALUE")->allow_extra_args(false);
  add("--actor", actor_, "user/ID, agent/ID, app/ID or system", "KIND/ID");
  add("--source", source_, "Where it comes from");
  add("--resource", resource_, "What it happened to", "KIND/ID");
  add("--space", space_, "scope.space_id");
  add("--channel", channel_, "scope.channel_id");
  add("--thread", thread_, "scope.thread_id");
  add("--audience", audience_, "The principal it is for");
  add("--receive-action", receive_action_, "The right a receiver needs");
  add("--id", id_, "Its id: the same id again is answered with the first result", "UUID");
  add("--client-msg-id", client_msg_id_, "The producer's own reference");
  add("--correlation-id", correlation_id_, "Correlation", "UUID");
  add("--causation-id", causation_id_, "The event that led to it", "UUID");
  add("--occurred-at", occurred_at_, "The producer's time, RFC 3339", "TIME");
  add("--schema-version", schema_version_, "Version of the payload's schema (default 1)", "N");
  options_.push_back(
      command.add_flag("--truncated", truncated_, "The payload was reduced")->group("Event"));
  add("--expect", expect_,
      "What the stream has to be before: any, none, exists, or its number of events", "VERSION");
}

bool EventOptions::given() const {
  return std::ranges::any_of(options_,
                             [](const CLI::Option* option) { return option->count() > 0; });
}

Outcome<void> EventOptions::read_identifiers(NewEvent& event) const {
  auto id = read_uuid(id_, "--id");
  if (!id) return std::unexpected(std::move(id.error()));
  event.id = *id;
  auto correlation = read_uuid(correlation_id_, "--correlation-id");
  if (!correlation) return std::unexpected(std::move(correlation.error()));
  event.correlation_id = *correlation;
  auto causation = read_uuid(causation_id_, "--causation-id");
  if (!causation) return std::unexpected(std::move(causation.error()));
  event.causation_id = *causation;
  if (occurred_at_) {
    event.occurred_at = parse_timestamp(*occurred_at_);
    if (!event.occurred_at) {
      return wrong_usage("--occurred-at needs an RFC 3339 time such as 2026-01-31T12:00:00Z");
    }
  }
  return {};
}

Outcome<void> EventOptions::read_parties(NewEvent& event) const {
  if (actor_) {
    auto [kind, id] = split_kind(*actor_);
    const auto known = parse_actor_kind(kind);
    if (!known) return wrong_usage("--actor needs user/ID, agent/ID, app/ID or system");
    event.actor = Actor{*known, std::move(id)};
  }
  if (resource_) {
    auto [kind, id] = split_kind(*resource_);
    event.resource.kind = std::move(kind);
    event.resource.id = std::move(id);
  }
  event.scope = {space_, channel_, thread_};
  event.audience = audience_;
  event.receive_action = receive_action_;
  return {};
}

Outcome<void> EventOptions::read_labels(NewEvent& event) const {
  for (const auto& label : labels_) {
    const auto equals = label.find('=');
    if (equals == std::string::npos) return wrong_usage("--label needs NAME=VALUE");
    if (!event.labels.emplace(label.substr(0, equals), label.substr(equals + 1)).second) {
      return wrong_usage("--label: a name was given twice");
    }
  }
  return {};
}

Outcome<std::string> EventOptions::read_payload(std::istream& input) const {
  if (payload_ == "-") return read_all(input);
  if (!payload_.starts_with('@')) return payload_;
  std::ifstream file(payload_.substr(1), std::ios::binary);
  if (!file) return wrong_usage("--payload: the file cannot be read");
  return read_all(file);
}

Outcome<NewEvent> EventOptions::event(std::istream& input) const {
  if (type_.empty()) return wrong_usage("an event needs --type");
  NewEvent event;
  event.type = type_;
  event.schema_version = schema_version_;
  event.source = source_;
  event.stream = stream_;
  event.client_msg_id = client_msg_id_;
  event.truncated = truncated_;
  for (auto step :
       {&EventOptions::read_identifiers, &EventOptions::read_parties, &EventOptions::read_labels}) {
    if (auto done = (this->*step)(event); !done) return std::unexpected(std::move(done.error()));
  }
  auto payload = read_payload(input);
  if (!payload) return std::unexpected(std::move(payload.error()));
  event.payload = std::move(*payload);
  return event;
}

Outcome<std::optional<ExpectedVersion>> EventOptions::expected() const {
  if (!expect_) return std::optional<ExpectedVersion>{};
  if (!stream_) return wrong_usage("--expect needs --stream");
  auto expected = parse_expected(*expect_);
  if (!expected) return std::unexpected(std::move(expected.error()));
  return std::optional(*expected);
}

}  // namespace annals::cli
