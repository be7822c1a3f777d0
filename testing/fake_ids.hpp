#pragma once

#include <cstdint>
#include <mutex>
#include <span>

#include "log/ports/ids.hpp"
#include "testing/random.hpp"

namespace annals::test {

/// Ids, salts and secrets drawn from a seed, so that records come out the same in every run.
/// Thread-safe; the order of calls decides who gets what.
class FakeIds final : public log::Ids {
 public:
  explicit FakeIds(std::uint64_t seed = 1) : random_(seed) {}

  /// A UUIDv7 of `now` in milliseconds; ids are increasing also when `now` stands or goes back.
  [[nodiscard]] Uuid event_id(Timestamp now) override;

  [[nodiscard]] Uuid random_id() override;

  void random_bytes(std::span<std::uint8_t> out) override;

 private:
  void fill(std::span<std::uint8_t> out);

  std::mutex mutex_;
  Random random_;
  std::uint64_t last_ms_ = 0;
  std::uint32_t counter_ = 0;
};

}  // namespace annals::test
