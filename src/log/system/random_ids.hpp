#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "log/ports/ids.hpp"

namespace annals::log {

/// Identifiers from the kernel's random generator. Thread-safe. Event ids are UUIDv7 and increase
/// strictly within one object, also when the clock stands still or goes back.
class RandomIds final : public Ids {
 public:
  [[nodiscard]] Uuid event_id(Timestamp now) override;
  [[nodiscard]] Uuid random_id() override;
  void random_bytes(std::span<std::uint8_t> out) override;

 private:
  /// Hands out bytes of the buffer; refilled in one system call.
  void take(std::span<std::uint8_t> out);

  std::mutex mutex_;
  // Guarded by mutex_.
  std::array<std::uint8_t, 4096> buffer_{};
  std::size_t left_ = 0;
  std::uint64_t last_ms_ = 0;
  std::uint16_t counter_ = 0;
};

}  // namespace annals::log
