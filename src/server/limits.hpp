#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "annals/address_range.hpp"
#include "annals/result.hpp"
#include "annals/uuid.hpp"
#include "server/clock.hpp"
#include "server/options.hpp"
#include "server/token_buckets.hpp"

namespace annals::server {

/// How much each address and each key may do. The subject of a token is one key, by the id that
/// `Caller::party` has for it. Without a key (open mode, a nil id) there is no limit of keys.
/// Thread-safe; must outlive the places it hands out.
class Limits {
 public:
  explicit Limits(const ServerOptions& options);

  /// A request has come from here, and nothing of it was looked at yet. `rate_limited` with
  /// `retry_after` when it is one too many. The addresses of IPv6 that share 64 bits are one: that
  /// is what one customer gets. An unknown address is not limited.
  [[nodiscard]] Result<void> take_request(const std::optional<IpAddress>& from, Deadline now);

  /// Whether the key may append now: asked before a body is read. `rate_limited`.
  [[nodiscard]] Result<void> may_append(const Uuid& key_id, Deadline now) const;

  /// The key appends this. `rate_limited`, and nothing counts, when it has to wait.
  [[nodiscard]] Result<void> take_append(const Uuid& key_id, std::uint64_t events,
                                         std::uint64_t bytes, Deadline now);

  /// A place among the open streams of the key, free when the last copy is gone.
  /// `too_many_subscribers`.
  [[nodiscard]] Result<std::shared_ptr<void>> take_stream(const Uuid& key_id);

 private:
  struct AddressHash {
    std::size_t operator()(const IpAddress& address) const noexcept;
  };

  void end_stream(const Uuid& key_id);

  TokenBuckets<IpAddress, AddressHash> requests_;
  TokenBuckets<Uuid> events_;
  TokenBuckets<Uuid> bytes_;
  const std::size_t max_streams_;
  std::mutex mutex_;
  std::unordered_map<Uuid, std::size_t> streams_;  // under mutex_
};

}  // namespace annals::server
