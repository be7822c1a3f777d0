#include "log/append/request_preparer.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "core/hash.hpp"
#include "log/append/request_hash.hpp"

namespace annals::log {

namespace {

constexpr std::size_t idempotency_key_max_bytes = 200;

/// Reserved types are refused by validation for every producer, with the rule's name; to call them
/// "not allowed" would suggest that another capability could append them.
bool is_reserved(std::string_view type) {
  return type.starts_with("log.") || type.starts_with("access.");
}

Result<void> check_capability(const WriteCapability& capability,
                              const std::vector<NewEvent>& events) {
  for (const NewEvent& event : events) {
    if (is_reserved(event.type) || capability.allows(event.type)) continue;
    const AllowedTypes& allowed = capability.allowed_types();
    return std::unexpected(Error{ErrorCode::not_allowed,
                                 "the capability does not name this event type",
                                 NotAllowed{event.type, {allowed.begin(), allowed.end()}},
                                 {}});
  }
  return {};
}

std::unexpected<Error> limit_error(std::string name, std::uint64_t limit, std::string detail) {
  return std::unexpected(
      Error{ErrorCode::too_large, std::move(detail), LimitExceeded{std::move(name), limit}, {}});
}

/// The same id or client_msg_id twice in one request is the producer's mistake, not a repeat.
void check_repeats(const std::vector<NewEvent>& events, std::vector<Violation>& violations) {
  std::unordered_set<Uuid> ids;
  std::unordered_set<std::string_view> references;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].id && !ids.insert(*events[i].id).second) {
      violations.push_back({i, "/id", "unique", "the same id stands twice in the request"});
    }
    if (events[i].client_msg_id && !references.insert(*events[i].client_msg_id).second) {
      violations.push_back(
          {i, "/client_msg_id", "unique", "the same client_msg_id stands twice in the request"});
    }
  }
}

std::optional<core::TraceParent> trace_of(const std::optional<std::string>& traceparent) {
  return traceparent ? core::parse_traceparent(*traceparent) : std::nullopt;
}

std::string count_of(std::size_t violations) {
  return violations == 1 ? "1 violation" : std::to_string(violations) + " violations";
}

}  // namespace

RequestPreparer::RequestPreparer(LogOptions options, std::shared_ptr<Clock> clock,
                                 std::shared_ptr<Ids> ids)
    : options_(std::move(options)),
      clock_(std::move(clock)),
      ids_(std::move(ids)) {}

Result<void> RequestPreparer::use_catalogue(std::shared_ptr<const core::Catalogue> catalogue) {
  auto rules = core::EventRules::make(options_.events, std::move(catalogue));
  if (!rules) return std::unexpected(std::move(rules).error());
  auto shared = std::make_shared<const core::EventRules>(*std::move(rules));
  const std::lock_guard lock(mutex_);
  rules_ = std::move(shared);
  return {};
}

std::shared_ptr<const core::EventRules> RequestPreparer::rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

Result<void> RequestPreparer::check_request(const std::vector<NewEvent>& events,
                                            const AppendOptions& options) const {
  if (events.empty()) return fail(ErrorCode::invalid_request, "the request has no events");
  const AppendLimits& limits = options_.append;
  if (events.size() > limits.request_max_events) {
    return limit_error(
        "request_max_events", limits.request_max_events,
        "a request has at most " + std::to_string(limits.request_max_events) + " events");
  }
  std::size_t bytes = 0;
  for (const NewEvent& event : events)
    bytes += request_bytes(event);
  if (bytes > limits.request_max_bytes) {
    return limit_error(
        "request_max_bytes", limits.request_max_bytes,
        "a request has at most " + std::to_string(limits.request_max_bytes) + " bytes");
  }
  for (const auto& [stream, expected] : options.expected_versions) {
    if (expected.kind == ExpectedVersion::Kind::exactly && expected.version > max_seq) {
      return fail(ErrorCode::invalid_request, "an expected version is at most 2^53 - 1");
    }
  }
  if (options.ack == Ack::queued &&
      (!options.expected_versions.empty() || options.idempotency_key)) {
    return fail(ErrorCode::invalid_request,
                "a queued append has neither expected versions nor an idempotency key");
  }
  if (options.idempotency_key && (options.idempotency_key->empty() ||
                                  options.idempotency_key->size() > idempotency_key_max_bytes)) {
    return fail(ErrorCode::invalid_request, "an idempotency key has 1 to 200 bytes");
  }
  return {};
}

core::Draft RequestPreparer::draft_of(core::ValidEvent event, const Uuid& key_id,
                                      Timestamp now) const {
  const Uuid id = event.id ? *event.id : ids_->event_id(now);
  std::array<std::uint8_t, 2 * std::tuple_size_v<Salt>> random{};
  ids_->random_bytes(random);
  Salt payload_salt{};
  Salt meta_salt{};
  std::copy_n(random.begin(), payload_salt.size(), payload_salt.begin());
  std::copy_n(random.begin() + payload_salt.size(), meta_salt.size(), meta_salt.begin());
  return core::make_draft(std::move(event), id, key_id, payload_salt, meta_salt);
}

Result<AppendRequest> RequestPreparer::prepare(const WriteCapability& capability,
                                               std::vector<NewEvent> events,
                                               AppendOptions options) const {
  if (auto allowed = check_capability(capability, events); !allowed) {
    return std::unexpected(std::move(allowed).error());
  }
  if (auto checked = check_request(events, options); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  const auto rules = this->rules();
  if (!rules) return fail(ErrorCode::store_unavailable, "the log is not open");

  const auto trace = trace_of(options.traceparent);
  const auto trace_of_event = [&](std::size_t index) {
    const auto& own = options.traceparents;
    return index < own.size() && own[index] ? trace_of(own[index]) : trace;
  };
  const Timestamp now = clock_->now();
  AppendRequest request;
  request.key_id = capability.holder();
  if (options.idempotency_key) request.request_hash = request_hash(events, options);
  request.expected_versions = std::move(options.expected_versions);
  request.idempotency_key = std::move(options.idempotency_key);
  request.drafts.reserve(events.size());
  std::vector<Violation> repeats;
  check_repeats(events, repeats);
  std::vector<Violation> violations;
  for (std::size_t i = 0; i < events.size(); ++i) {
    auto valid =
        core::validate(events[i], i, *rules, core::Origin::producer, trace_of_event(i), violations);
    if (!valid || !violations.empty() || !repeats.empty()) continue;
    request.bytes += request_bytes(events[i]) + sizeof(core::Draft);
    request.critical = request.critical || valid->critical;
    request.drafts.push_back(draft_of(*std::move(valid), request.key_id, now));
  }
  if (!violations.empty() || !repeats.empty()) {
    std::vector<Violation> all;
    std::ranges::merge(repeats, violations, std::back_inserter(all), {}, &Violation::index,
                       &Violation::index);
    const std::string detail = count_of(all.size());
    return std::unexpected(
        Error{ErrorCode::invalid_event, detail, InvalidEvent{std::move(all)}, {}});
  }
  return request;
}

Result<core::Draft> RequestPreparer::prepare_own(const Uuid& key_id, const NewEvent& event) const {
  const auto rules = this->rules();
  if (!rules) return fail(ErrorCode::store_unavailable, "the log is not open");
  std::vector<Violation> violations;
  auto valid = core::validate(event, 0, *rules, core::Origin::log, std::nullopt, violations);
  if (!valid) {
    return fail(ErrorCode::internal, "the log's own event breaks " + violations.front().pointer +
                                         " " + violations.front().rule);
  }
  return draft_of(*std::move(valid), key_id, clock_->now());
}

}  // namespace annals::log
