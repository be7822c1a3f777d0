#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "annals/digest.hpp"
#include "annals/result.hpp"
#include "log/system/random_ids.hpp"
#include "server/clock.hpp"

namespace annals::server {

/// Tickets: each stands once, and for a short time, for the credential that it was made with, which
/// is authenticated anew when it is redeemed. They are kept in this process only, by their hashes.
/// Thread-safe.
class Tickets {
 public:
  /// At most `max_open` are neither redeemed nor out of date.
  Tickets(std::chrono::milliseconds lifetime, std::size_t max_open)
      : lifetime_(lifetime),
        max_open_(max_open) {}

  /// A new ticket for `credential`. `busy` when too many are open.
  [[nodiscard]] Result<std::string> issue(std::string credential, Deadline now);

  /// The credential; `nullopt` for a ticket that is unknown, was redeemed, or is out of date.
  [[nodiscard]] std::optional<std::string> redeem(std::string_view ticket, Deadline now);

  [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept { return lifetime_; }

 private:
  struct Open {
    Digest hash;
    std::string credential;
    Deadline until;
  };
  using Opened = std::list<Open>;

  /// A hash is spread well already.
  struct FirstBytes {
    std::size_t operator()(const Digest& hash) const noexcept;
  };

  void forget_old(Deadline now);

  const std::chrono::milliseconds lifetime_;
  const std::size_t max_open_;
  log::RandomIds random_;
  std::mutex mutex_;
  Opened open_;                                                       // under mutex_; oldest first
  std::unordered_map<Digest, Opened::iterator, FirstBytes> by_hash_;  // under mutex_
};

}  // namespace annals::server
