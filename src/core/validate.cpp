#include "core/validate.hpp"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include "core/json.hpp"
#include "core/json_text.hpp"
#include "core/payload_schema_value.hpp"
#include "core/validate_names.hpp"

namespace annals::core {
namespace {

constexpr std::size_t max_pattern_bytes = 1000;
constexpr std::uint32_t max_schema_version = 2'147'483'647;
constexpr std::string_view default_resource_kind = "event";
constexpr std::string_view default_receive_action = "read";
constexpr std::string_view self_action = "self";

/// 0001-01-01T00:00:00Z and the last microsecond of 9999.
constexpr Timestamp first_time{std::chrono::sys_days{std::chrono::January / 1 / 1}};
constexpr Timestamp last_time =
    Timestamp{std::chrono::sys_days{std::chrono::January / 1 / 10'000}} -
    std::chrono::microseconds(1);

std::string bytes_message(std::string_view what, std::size_t limit) {
  return std::string(what) + " has at most " + std::to_string(limit) + " bytes";
}

/// A caller of the library can put any number into an enum.
bool is_known(ActorKind kind) {
  return kind <= ActorKind::system;
}

/// Collects the violations of one event.
class Checker {
 public:
  Checker(const NewEvent& event, std::size_t index, const EventRules& rules, Origin origin,
          std::vector<Violation>& violations)
      : event_(event),
        index_(index),
        rules_(rules),
        origin_(origin),
        violations_(violations) {
    if (is_type_name(event.type)) entry_ = rules.catalogue().find(event.type);
  }

  void check() {
    type();
    if (event_.schema_version < 1 || event_.schema_version > max_schema_version) {
      add("/schema_version", "range", "schema_version is 1 to 2147483647");
    }
    optional_text("/source", event_.source);
    stream();
    if (event_.occurred_at &&
        (*event_.occurred_at < first_time || *event_.occurred_at > last_time)) {
      add("/occurred_at", "range", "occurred_at is in the years 0001 to 9999");
    }
    actor();
    optional_text("/scope/space_id", event_.scope.space_id);
    optional_text("/scope/channel_id", event_.scope.channel_id);
    optional_text("/scope/thread_id", event_.scope.thread_id);
    resource();
    optional_text("/audience", event_.audience);
    receive_action();
    labels();
    uuid("/id", event_.id);
    uuid("/correlation_id", event_.correlation_id);
    uuid("/causation_id", event_.causation_id);
    optional_text("/client_msg_id", event_.client_msg_id);
    payload();
  }

  /// The event with its defaults; complete when nothing was found.
  ValidEvent take(const std::optional<TraceParent>& trace);

  void check_envelope(const ValidEvent& event) {
    const std::size_t limit = rules_.options().envelope_max_bytes;
    if (envelope_bound(event) > limit) {
      add("", "max_bytes", bytes_message("the encoded envelope without its payload", limit));
    }
  }

 private:
  void add(std::string pointer, std::string rule, std::string message) {
    violations_.push_back({.index = index_,
                           .pointer = std::move(pointer),
                           .rule = std::move(rule),
                           .message = std::move(message)});
  }

  /// Checks what holds for every text but its emptiness.
  void content(const std::string& pointer, std::string_view value, std::size_t limit) {
    if (value.size() > limit) add(pointer, "max_bytes", bytes_message("the text", limit));
    if (value.contains('\0')) add(pointer, "nul", "U+0000 is not allowed outside the payload");
    if (!is_utf8(value)) add(pointer, "utf8", "the text must be valid UTF-8");
  }

  void text(const char* pointer, std::string_view value) {
    if (is_plain_text(value)) return;
    if (value.empty()) add(pointer, "empty", "the text must not be empty; leave the member out");
    content(pointer, value, max_text_bytes);
  }

  void optional_text(const char* pointer, const std::optional<std::string>& value) {
    if (value) text(pointer, *value);
  }

  void uuid(const char* pointer, const std::optional<Uuid>& value) {
    if (value && value->is_nil()) add(pointer, "nil", "the nil UUID is not allowed");
  }

  void type();
  void stream();
  void actor();
  void resource();
  void receive_action();
  void labels();
  void label(const std::string& name, const std::string& value);
  void payload();

  const NewEvent& event_;
  std::size_t index_;
  const EventRules& rules_;
  Origin origin_;
  std::vector<Violation>& violations_;
  const TypeEntry* entry_ = nullptr;
  std::string payload_;
};

void Checker::type() {
  const std::string& type = event_.type;
  if (!is_plain_text(type)) return text("/type", type);
  if (is_reserved_type(type)) {
    if (origin_ == Origin::producer) {
      add("/type", "reserved", "types that begin with log. or access. are the log's own");
    } else if (!std::ranges::binary_search(log_types(), type)) {
      add("/type", "reserved", "not one of the log's own types");
    }
  } else if (!is_type_name(type) || !rules_.type_matches(type)) {
    add("/type", "pattern", "type must match " + rules_.options().type_pattern);
  }
}

void Checker::stream() {
  optional_text("/stream", event_.stream);
  if (origin_ == Origin::producer && event_.stream && event_.stream->starts_with('$')) {
    add("/stream", "reserved", "streams that begin with $ are the log's own");
  }
}

void Checker::actor() {
  if (!event_.actor) return;
  const Actor& actor = *event_.actor;
  if (!is_known(actor.kind)) {
    add("/actor/kind", "enum", "actor.kind is user, agent, app or system");
  } else if (actor.kind == ActorKind::system) {
    if (actor.id) add("/actor/id", "forbidden", "an actor of kind system has no id");
  } else if (!actor.id) {
    add("/actor/id", "required", "an actor of kind user, agent or app needs an id");
  }
  optional_text("/actor/id", actor.id);
}

void Checker::resource() {
  optional_text("/resource/kind", event_.resource.kind);
  optional_text("/resource/id", event_.resource.id);
  if (event_.resource.version > max_seq) {
    add("/resource/version", "range", "resource.version is 0 to " + std::to_string(max_seq));
  }
}

void Checker::receive_action() {
  const auto& given = event_.receive_action;
  if (given && !is_name(*given)) {
    add("/receive_action", "pattern", "receive_action must match [a-z][a-z0-9_]{0,62}");
  }
  const auto* named =
      entry_ != nullptr && entry_->receive_action ? &*entry_->receive_action : nullptr;
  if (given && named != nullptr && *given != *named) {
    add("/receive_action", "catalogue", "the catalogue sets it to " + *named + " for this type");
  }
  const bool self = given ? *given == self_action : named != nullptr && *named == self_action;
  if (self && !event_.audience) {
    add("/audience", "required", "receive_action self needs an audience");
  }
}

void Checker::labels() {
  if (event_.labels.size() > max_labels) {
    add("/labels", "max_count", "an event has at most " + std::to_string(max_labels) + " labels");
  }
  for (const auto& [name, value] : event_.labels)
    label(name, value);
}

void Checker::label(const std::string& name, const std::string& value) {
  if (!is_name(name)) {
    // The pointer goes into answers: a name that no answer can carry is not repeated.
    std::string pointer = "/labels";
    if (is_plain_text(name)) json::append_token(pointer, name);
    return add(std::move(pointer), "pattern",
               "the name of a label must match [a-z][a-z0-9_]{0,62}");
  }
  const bool declares = entry_ != nullptr && !entry_->labels.empty();
  const bool plain = value.empty() || is_plain_text(value, max_label_value_bytes);
  if (plain && !declares) return;

  const std::string pointer = "/labels/" + name;
  if (!plain) content(pointer, value, max_label_value_bytes);
  if (!declares) return;
  const auto rule = entry_->labels.find(name);
  if (rule == entry_->labels.end()) {
    add(pointer, "catalogue", "the catalogue does not declare the label for this type");
  } else if (!rule->second.allowed_values.empty() && !rule->second.allowed_values.contains(value)) {
    add(pointer, "catalogue", "the value is not among those the catalogue lists");
  }
}

void Checker::payload() {
  auto compact = json::compact_payload(event_.payload, rules_.options().nulls);
  if (!compact) {
    const json::Problem& problem = compact.error();
    return add("/payload" + problem.pointer, problem.rule, problem.message);
  }
  payload_ = std::move(*compact);
  const std::size_t limit = rules_.options().payload_max_bytes;
  if (payload_.size() > limit) {
    return add("/payload", "max_bytes", bytes_message("the payload as stored", limit));
  }
  if (entry_ != nullptr) rules_.catalogue().check_payload(*entry_, payload_, index_, violations_);
}

ValidEvent Checker::take(const std::optional<TraceParent>& trace) {
  ValidEvent valid{.id = event_.id,
                   .type = event_.type,
                   .schema_version = event_.schema_version,
                   .source = event_.source,
                   .stream = event_.stream,
                   .occurred_at = event_.occurred_at,
                   .scope = event_.scope,
                   .resource = event_.resource,
                   .receive_action = event_.receive_action.value_or(""),
                   .truncated = event_.truncated,
                   .payload = std::move(payload_),
                   .meta = {.actor = event_.actor,
                            .audience = event_.audience,
                            .labels = event_.labels,
                            .client_msg_id = event_.client_msg_id,
                            .correlation_id = event_.correlation_id,
                            .causation_id = event_.causation_id},
                   .critical = rules_.catalogue().critical(event_.type),
                   .resource_kind_given = event_.resource.kind.has_value(),
                   .receive_action_given = event_.receive_action.has_value(),
                   .correlation_given = event_.correlation_id.has_value()};
  if (!valid.resource.kind) {
    valid.resource.kind = entry_ != nullptr ? entry_->resource_kind : default_resource_kind;
  }
  if (!event_.receive_action) {
    valid.receive_action = entry_ != nullptr && entry_->receive_action ? *entry_->receive_action
                                                                       : default_receive_action;
  }
  if (event_.actor && !is_known(event_.actor->kind)) valid.meta.actor.reset();
  if (trace) {
    if (!valid.meta.correlation_id) valid.meta.correlation_id = trace->trace_id;
    if (trace->sampled) valid.meta.trace_context = trace->text;
  }
  return valid;
}

}  // namespace

EventRules::EventRules(EventOptions options, std::shared_ptr<const Catalogue> catalogue,
                       std::optional<std::regex> pattern)
    : options_(std::move(options)),
      catalogue_(std::move(catalogue)),
      pattern_(std::move(pattern)) {}

Result<EventRules> EventRules::make(const EventOptions& options,
                                    std::shared_ptr<const Catalogue> catalogue) {
  if (catalogue == nullptr) catalogue = std::make_shared<const Catalogue>();
  if (options.type_pattern == EventOptions{}.type_pattern) {
    return EventRules(options, std::move(catalogue), std::nullopt);
  }
  if (options.type_pattern.size() > max_pattern_bytes) {
    return fail(ErrorCode::invalid_request,
                bytes_message("events.type_pattern", max_pattern_bytes));
  }
  try {
    // Types come from producers: the polynomial engine takes no exponential time on any of them.
    std::regex pattern(options.type_pattern, std::regex_constants::ECMAScript |
                                                 std::regex_constants::nosubs |
                                                 std::regex_constants::__polynomial);
    return EventRules(options, std::move(catalogue), std::move(pattern));
  } catch (const std::exception&) {
    return fail(ErrorCode::invalid_request,
                "events.type_pattern is not a regular expression that can be used (ECMAScript, no "
                "back references)");
  }
}

bool EventRules::type_matches(const std::string& type) const {
  return pattern_ ? std::regex_match(type, *pattern_) : is_default_type(type);
}

std::optional<ValidEvent> validate(const NewEvent& event, std::size_t index,
                                   const EventRules& rules, Origin origin,
                                   const std::optional<TraceParent>& trace,
                                   std::vector<Violation>& violations) {
  const std::size_t before = violations.size();
  Checker checker(event, index, rules, origin, violations);
  checker.check();
  ValidEvent valid = checker.take(trace);
  checker.check_envelope(valid);
  if (violations.size() != before) return std::nullopt;
  return valid;
}

}  // namespace annals::core
