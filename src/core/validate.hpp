#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "annals/event.hpp"
#include "annals/options.hpp"
#include "annals/record.hpp"
#include "annals/result.hpp"
#include "core/catalogue.hpp"
#include "core/trace_context.hpp"

namespace annals::core {

/// What events are checked against. Immutable after construction; shared between threads.
class EventRules {
 public:
  /// Fails with `invalid_request` when the type pattern is not a regular expression that can be
  /// used (ECMAScript, at most 1,000 bytes, no back references). It has to match the whole type.
  /// The default pattern is matched without the regex engine.
  static Result<EventRules> make(const EventOptions& options,
                                 std::shared_ptr<const Catalogue> catalogue);

  [[nodiscard]] const EventOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Catalogue& catalogue() const noexcept { return *catalogue_; }
  [[nodiscard]] bool type_matches(const std::string& type) const;

 private:
  EventRules(EventOptions options, std::shared_ptr<const Catalogue> catalogue,
             std::optional<std::regex> pattern);

  EventOptions options_;
  std::shared_ptr<const Catalogue> catalogue_;
  std::optional<std::regex> pattern_;  ///< Absent for the default pattern.
};

/// Who hands an event in: producers may not write the log's own types and `$` streams.
enum class Origin { producer, log };

/// A checked event with defaults applied, before it has an id, salts and a place. Value.
struct ValidEvent {
  std::optional<Uuid> id;
  std::string type;
  std::uint32_t schema_version = 1;
  std::optional<std::string> source;
  std::optional<std::string> stream;
  std::optional<Timestamp> occurred_at;
  Scope scope;
  Resource resource;  ///< `kind` is set.
  std::string receive_action;
  bool truncated = false;
  std::string payload;  ///< Compacted, token for token.
  Meta meta;            ///< Actor, audience, labels, client_msg_id, correlation, causation, trace.
  bool critical = false;

  /// What the producer left to the log, so that a repeat without it still is the same event.
  bool resource_kind_given = false;
  bool receive_action_given = false;
  bool correlation_given = false;

  friend bool operator==(const ValidEvent&, const ValidEvent&) = default;
};

/// Checks one event against every rule of the specification and applies the defaults. On failure
/// all violations are in `violations`, with `index`, and the result is `nullopt`. `trace` gives the
/// correlation of events without one and the trace context when it was sampled.
///
/// The rules, by the name in `Violation::rule`; their messages state the limit, never the value:
/// - `empty`, `max_bytes`, `utf8`, `nul`: texts, each label, the payload's and the envelope's size
/// - `pattern`: type, receive action and names of labels; `reserved`: the log's own types and
/// streams
/// - `range`: schema version, resource version, occurred_at; `nil`: UUIDs; `enum`: kind of actor
/// - `required`, `forbidden`: id of an actor, audience of `self`; `max_count`: labels
/// - `catalogue`: receive action, labels and their values; `schema.<keyword>`: the payload's schema
/// - those of `json::Problem` for the payload's text
[[nodiscard]] std::optional<ValidEvent> validate(const NewEvent& event, std::size_t index,
                                                 const EventRules& rules, Origin origin,
                                                 const std::optional<TraceParent>& trace,
                                                 std::vector<Violation>& violations);

/// Upper bound of the encoded envelope without its payload, in bytes, whatever place the event
/// gets: what `events.envelope_max_bytes` limits.
[[nodiscard]] std::size_t envelope_bound(const ValidEvent& event);

}  // namespace annals::core
