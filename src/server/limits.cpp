#include "server/limits.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

namespace annals::server {

namespace {

/// Rates remembered: who comes back after so many others begins anew.
constexpr std::size_t max_parties = 65'536;

constexpr std::size_t network_bytes = 8;

std::unexpected<Error> rate_limited(std::string_view what, std::chrono::nanoseconds wait) {
  return std::unexpected(Error{ErrorCode::rate_limited,
                               std::string{what},
                               {},
                               std::chrono::ceil<std::chrono::milliseconds>(wait)});
}

std::unexpected<Error> key_limited(std::chrono::nanoseconds wait) {
  return rate_limited("the key appends more than it may", wait);
}

}  // namespace

std::size_t Limits::AddressHash::operator()(const IpAddress& address) const noexcept {
  std::size_t hash = 0;
  for (const std::uint8_t byte : address.bytes)
    hash = hash * 31 + byte;
  return hash;
}

Limits::Limits(const ServerOptions& options)
    : requests_(options.rate_ip_requests, options.rate_burst, max_parties),
      events_(options.rate_key_events, options.rate_burst, max_parties),
      bytes_(options.rate_key_bytes, options.rate_burst, max_parties),
      max_streams_(options.subscriber_max_per_key) {}

Result<void> Limits::take_request(const std::optional<IpAddress>& from, Deadline now) {
  if (!from) return {};
  IpAddress party = *from;
  if (!party.is_v4()) std::ranges::fill(party.bytes.begin() + network_bytes, party.bytes.end(), 0);
  if (const auto wait = requests_.take(party, 1, now)) {
    return rate_limited("too many requests come from this address", *wait);
  }
  return {};
}

Result<void> Limits::may_append(const Uuid& key_id, Deadline now) const {
  if (key_id.is_nil()) return {};
  const auto wait = std::max(events_.wait(key_id, now), bytes_.wait(key_id, now));
  if (wait.count() > 0) return key_limited(wait);
  return {};
}

Result<void> Limits::take_append(const Uuid& key_id, std::uint64_t events, std::uint64_t bytes,
                                 Deadline now) {
  if (key_id.is_nil()) return {};
  if (auto may = may_append(key_id, now); !may) return may;
  // Two at once may both have passed: what was taken beyond the rate is paid off later.
  if (const auto wait = events_.take(key_id, events, now)) return key_limited(*wait);
  if (const auto wait = bytes_.take(key_id, bytes, now)) return key_limited(*wait);
  return {};
}

Result<std::shared_ptr<void>> Limits::take_stream(const Uuid& key_id) {
  if (key_id.is_nil() || max_streams_ == 0) return std::shared_ptr<void>{};
  const std::lock_guard lock{mutex_};
  std::size_t& open = streams_[key_id];
  if (open >= max_streams_) {
    return std::unexpected(Error{ErrorCode::too_many_subscribers,
                                 "the key has as many open streams as it may",
                                 {},
                                 std::chrono::seconds{5}});
  }
  ++open;
  return std::shared_ptr<void>{this, [this, key_id](void*) { end_stream(key_id); }};
}

void Limits::end_stream(const Uuid& key_id) {
  const std::lock_guard lock{mutex_};
  const auto found = streams_.find(key_id);
  if (--found->second == 0) streams_.erase(found);
}

}  // namespace annals::server
