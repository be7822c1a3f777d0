#pragma once

#include <cstdint>
#include <span>

#include "annals/time.hpp"
#include "annals/uuid.hpp"

namespace annals::log {

/// Source of identifiers and of randomness for salts and secrets. Thread-safe.
class Ids {
 public:
  virtual ~Ids() = default;

  /// A new UUIDv7 for `now`; ids of one source are increasing.
  [[nodiscard]] virtual Uuid event_id(Timestamp now) = 0;

  /// A new random UUIDv4.
  [[nodiscard]] virtual Uuid random_id() = 0;

  /// Fills `out` with random bytes good enough for secrets.
  virtual void random_bytes(std::span<std::uint8_t> out) = 0;
};

}  // namespace annals::log
