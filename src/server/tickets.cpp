#include "server/tickets.hpp"

#include <cstring>
#include <iterator>
#include <utility>

#include "core/hash.hpp"

namespace annals::server {

std::size_t Tickets::FirstBytes::operator()(const Digest& hash) const noexcept {
  std::size_t value = 0;
  std::memcpy(&value, hash.data(), sizeof value);
  return value;
}

Result<std::string> Tickets::issue(std::string credential, Deadline now) {
  Digest secret{};
  random_.random_bytes(secret);
  std::string ticket = to_hex(secret);
  const std::lock_guard lock{mutex_};
  forget_old(now);
  if (open_.size() >= max_open_) {
    return std::unexpected(Error{
        ErrorCode::busy,
        "too many tickets are open",
        {},
        std::chrono::ceil<std::chrono::milliseconds>(open_.empty() ? Deadline::duration{}
                                                                   : open_.front().until - now)});
  }
  const Digest hash = core::blake3(ticket);
  open_.push_back({hash, std::move(credential), now + lifetime_});
  by_hash_.emplace(hash, std::prev(open_.end()));
  return ticket;
}

std::optional<std::string> Tickets::redeem(std::string_view ticket, Deadline now) {
  const Digest hash = core::blake3(ticket);
  const std::lock_guard lock{mutex_};
  forget_old(now);
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return std::nullopt;
  std::string credential = std::move(found->second->credential);
  open_.erase(found->second);
  by_hash_.erase(found);
  return credential;
}

void Tickets::forget_old(Deadline now) {
  while (!open_.empty() && open_.front().until <= now) {
    by_hash_.erase(open_.front().hash);
    open_.pop_front();
  }
}

}  // namespace annals::server
