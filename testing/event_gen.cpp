#include "testing/event_gen.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

namespace annals::test {

namespace {

constexpr std::size_t max_text = 200;
constexpr std::size_t max_label_value = 256;
constexpr std::size_t max_labels = 16;
constexpr std::size_t max_payload = std::size_t{56} * 1024;
constexpr std::size_t max_levels = 64;

/// All texts of an event together as JSON: with names, numbers, hashes and times beside them the
/// envelope stays under 7 KiB.
constexpr std::size_t text_budget = 5800;

std::size_t escaped_size(std::string_view text) {
  std::size_t size = 0;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      size += 6;
    } else {
      size += c == '"' || c == '\\' ? 2 : 1;
    }
  }
  return size;
}

std::vector<std::string> stream_pool(Random& random, std::size_t count) {
  std::set<std::string> names;
  while (names.size() < count) {
    std::string name = random.chance(50) ? "order-" + std::to_string(random.below(1000))
                                         : random_text(random, max_text);
    if (!name.starts_with('$')) names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

}  // namespace

EventGen::EventGen(std::uint64_t seed, EventGenOptions options)
    : random_(seed),
      options_(options),
      streams_(stream_pool(random_, options.streams)) {}

NewEvent EventGen::event() {
  text_left_ = text_budget;
  full_ = random_.chance(options_.edge_percent);
  ++made_;
  NewEvent event;
  event.type = type();
  if (random_.chance(options_.id_percent)) event.id = uuid();
  if (!streams_.empty() && !random_.chance(options_.unchained_percent)) {
    event.stream = random_.pick(streams_);
    text_left_ -= escaped_size(*event.stream);
  }
  if (random_.chance(50)) {
    event.schema_version = random_.pick({1U, 2U, 7U, 2147483647U});
  }
  if (random_.chance(50)) event.source = text(max_text);
  if (random_.chance(50)) event.occurred_at = time();
  fill_who(event);
  fill_where(event);
  fill_labels(event);
  if (random_.chance(30)) event.correlation_id = uuid();
  if (random_.chance(30)) event.causation_id = uuid();
  event.truncated = random_.chance(10);
  event.payload = payload();
  return event;
}

std::vector<NewEvent> EventGen::batch(std::size_t count) {
  std::vector<NewEvent> events;
  events.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    events.push_back(event());
  return events;
}

Uuid EventGen::uuid() {
  Uuid id;
  for (auto& byte : id.bytes)
    byte = static_cast<std::uint8_t>(random_.bits() >> 24U);
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0fU) | 0x40U);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3fU) | 0x80U);
  return id;
}

std::string EventGen::text(std::size_t max_bytes) {
  std::string out = full_ ? std::string(max_bytes, 'x') : random_text(random_, max_bytes);
  if (escaped_size(out) > text_left_) out = "x";
  text_left_ -= std::min(text_left_, escaped_size(out));
  return out;
}

/// `[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+`, outside the areas of the log itself.
std::string EventGen::type() {
  constexpr std::string_view first = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view rest = "abcdefghijklmnopqrstuvwxyz0123456789_";
  std::string out = random_.pick({"order", "query", "logistics", "accessory", "t"});
  const auto segments = random_.between(1, 4);
  for (std::uint64_t i = 0; i < segments; ++i) {
    out += '.';
    out += random_.pick(first);
    const auto more = random_.below(10);
    for (std::uint64_t j = 0; j < more; ++j)
      out += random_.pick(rest);
  }
  if (random_.chance(3)) out.append(max_text - out.size(), '_');
  text_left_ -= out.size();
  return out;
}

std::string EventGen::label_key() {
  constexpr std::string_view rest = "abcdefghijklmnopqrstuvwxyz0123456789_";
  std::string key(1, static_cast<char>(random_.between('a', 'z')));
  const auto more = random_.chance(10) ? 62 : random_.below(8);
  for (std::uint64_t i = 0; i < more; ++i)
    key += random_.pick(rest);
  return key;
}

Timestamp EventGen::time() {
  using std::chrono::microseconds;
  constexpr std::int64_t first = -62'135'596'800'000'000;  // 0001-01-01T00:00:00.000000Z
  constexpr std::int64_t last = 253'402'300'799'999'999;   // 9999-12-31T23:59:59.999999Z
  constexpr std::int64_t recent = 1'700'000'000'000'000;
  const std::int64_t spread = static_cast<std::int64_t>(random_.below(100'000'000'000'000));
  return Timestamp{microseconds{
      random_.pick({first, last, std::int64_t{0}, std::int64_t{-1}, recent + spread})}};
}

void EventGen::fill_who(NewEvent& event) {
  if (random_.chance(50)) {
    const auto kind =
        random_.pick({ActorKind::user, ActorKind::agent, ActorKind::app, ActorKind::system});
    event.actor = Actor{kind, std::nullopt};
    if (kind != ActorKind::system) event.actor->id = text(max_text);
  }
  if (random_.chance(20)) event.audience = text(max_text);
  if (random_.chance(30)) event.receive_action = event.audience ? "self" : "read";
  if (options_.client_msg_ids && random_.chance(20)) {
    event.client_msg_id = std::to_string(made_) + "-" + text(max_text - 24);
  }
}

void EventGen::fill_where(NewEvent& event) {
  if (random_.chance(40)) event.scope.space_id = text(max_text);
  if (random_.chance(40)) event.scope.channel_id = text(max_text);
  if (random_.chance(20)) event.scope.thread_id = text(max_text);
  if (random_.chance(40)) event.resource.kind = text(max_text);
  if (random_.chance(40)) event.resource.id = text(max_text);
  if (random_.chance(30)) {
    event.resource.version = random_.pick(
        {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{17}, (std::uint64_t{1} << 53U) - 1});
  }
}

void EventGen::fill_labels(NewEvent& event) {
  const std::size_t count = full_ || random_.chance(10) ? max_labels : random_.below(4);
  while (event.labels.size() < count) {
    const std::string key = label_key();
    constexpr std::size_t punctuation = 6;
    if (text_left_ < key.size() + punctuation + 1) break;
    text_left_ -= key.size() + punctuation;
    event.labels[key] = random_.chance(15) ? "" : text(max_label_value);
  }
}

std::string EventGen::payload() {
  GeneratedPayload made;
  if (random_.chance(options_.edge_percent)) {
    made = random_.chance(50) ? payload_of_size(random_, max_payload)
                              : payload_of_depth(random_, max_levels);
  } else {
    made = random_payload(random_, options_.payload_bytes);
  }
  compact_payload_ = std::move(made.compact);
  return std::move(made.sent);
}

}  // namespace annals::test
