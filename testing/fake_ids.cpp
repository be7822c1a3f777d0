#include "testing/fake_ids.hpp"

#include <algorithm>
#include <chrono>

namespace annals::test {

Uuid FakeIds::event_id(Timestamp now) {
  const std::lock_guard lock(mutex_);
  const auto since = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const auto ms = static_cast<std::uint64_t>(std::max<std::int64_t>(since, 0));
  if (ms > last_ms_) {
    last_ms_ = ms;
    counter_ = 0;
  } else if (++counter_ >= 0x1000U) {
    ++last_ms_;
    counter_ = 0;
  }
  Uuid id;
  fill(id.bytes);
  for (unsigned i = 0; i < 6; ++i) {
    id.bytes[i] = static_cast<std::uint8_t>(last_ms_ >> (40U - 8U * i));
  }
  id.bytes[6] = static_cast<std::uint8_t>(0x70U | (counter_ >> 8U));
  id.bytes[7] = static_cast<std::uint8_t>(counter_);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3fU) | 0x80U);
  return id;
}

Uuid FakeIds::random_id() {
  const std::lock_guard lock(mutex_);
  Uuid id;
  fill(id.bytes);
  id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0fU) | 0x40U);
  id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3fU) | 0x80U);
  return id;
}

void FakeIds::random_bytes(std::span<std::uint8_t> out) {
  const std::lock_guard lock(mutex_);
  fill(out);
}

void FakeIds::fill(std::span<std::uint8_t> out) {
  for (auto& byte : out)
    byte = static_cast<std::uint8_t>(random_.bits() >> 24U);
}

}  // namespace annals::test
