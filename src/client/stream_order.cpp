#include "client/stream_order.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/cursor.hpp"
#include "core/json.hpp"
#include "wire/envelope_reader.hpp"
#include "wire/json_values.hpp"
#include "wire/problem_reader.hpp"

namespace annals::client {

namespace {

std::unexpected<Error> malformed(const Frame& frame) {
  return fail(ErrorCode::invalid_request,
              "a frame of the stream is not what an Annals server sends, after id " +
                  (frame.id.empty() ? "none" : frame.id.substr(0, 20)));
}

std::unexpected<Error> out_of_order(std::uint64_t expected, std::uint64_t actual) {
  return fail(ErrorCode::store_corrupt, "the stream is not the log: event " +
                                            std::to_string(expected) + " had to come, and " +
                                            std::to_string(actual) + " came");
}

/// A member of a control frame, when it is there and of this kind.
template <typename Value>
std::optional<Value> member_of(const Frame& frame, std::string_view member) {
  core::json::Reader reader(frame.data);
  std::optional<Value> value;
  const bool read = wire::read_object(reader, [&](const std::string& name) {
    return name != member || wire::read_value(reader, value);
  });
  return read && reader.finish() ? value : std::nullopt;
}

std::optional<std::uint64_t> number_of(const Frame& frame, std::string_view member) {
  return member_of<std::uint64_t>(frame, member);
}

}  // namespace

Result<void> StreamOrder::take(const Frame& frame, Messages& messages) {
  if (frame.type == "message") return event(frame, messages);
  if (frame.type == "checkpoint") return checkpoint(frame, messages);
  if (frame.type == "caught_up") return caught_up(frame, messages);
  if (frame.type == "resync") return resync(frame, messages);
  // A changed key may read something else now: the stream ends, and the next connection shows what.
  if (frame.type == "revoked" && member_of<std::string>(frame, "reason") != "changed") {
    messages.emplace_back(Revoked{});
  }
  // A later server may say more than this client knows.
  return {};
}

Result<void> StreamOrder::event(const Frame& frame, Messages& messages) {
  auto envelope = wire::read_envelope(frame.data);
  const auto seq = core::parse_cursor(frame.id);
  if (!envelope || !seq || envelope->seq != *seq) return malformed(frame);
  const std::uint64_t expected = received_ + 1;
  if (*seq < expected || (complete_ && *seq > expected)) return out_of_order(expected, *seq);
  received_ = *seq;
  messages.emplace_back(std::move(*envelope));
  return {};
}

Result<void> StreamOrder::checkpoint(const Frame& frame, Messages& messages) {
  const auto scanned = number_of(frame, "scanned");
  if (!scanned) return malformed(frame);
  // On a complete stream, too: numbers that the log has recorded as never given out.
  received_ = std::max(received_, *scanned);
  messages.emplace_back(Checkpoint{received_});
  return {};
}

Result<void> StreamOrder::caught_up(const Frame& frame, Messages& messages) {
  const auto head = number_of(frame, "head");
  if (!head) return malformed(frame);
  if (complete_ && *head > received_) return out_of_order(received_ + 1, *head + 1);
  received_ = std::max(received_, *head);
  messages.emplace_back(CaughtUp{*head});
  return {};
}

Result<void> StreamOrder::resync(const Frame& frame, Messages& messages) {
  core::json::Reader reader(frame.data);
  Resync resync;
  const bool read = wire::read_object(reader, [&](const std::string& name) {
    bool known = false;
    return wire::read_resync_member(reader, name, resync, known);
  });
  const auto after = core::parse_cursor(frame.id);
  if (!read || !reader.finish() || resync.reason.empty() || !after) return malformed(frame);
  received_ = *after;
  messages.emplace_back(Resynced{std::move(resync), *after});
  return {};
}

}  // namespace annals::client
