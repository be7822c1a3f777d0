#include "log/system/random_ids.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

namespace annals::log {

namespace {

void fill_from_kernel(std::span<std::uint8_t> out) {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      // A machine without randomness cannot make salts or secrets: nothing sensible can go on.
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

void set_version(Uuid& uuid, std::uint8_t version) {
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0fU) | (version << 4U));
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3fU) | 0x80U);
}

// The 12 bits behind the milliseconds count ids of one millisecond; starting in the lower half
// leaves room to count before the millisecond has to be advanced.
constexpr std::uint16_t counter_start_mask = 0x7ff;
constexpr std::uint16_t counter_max = 0xfff;

}  // namespace

void RandomIds::take(std::span<std::uint8_t> out) {
  if (out.size() > buffer_.size() / 4) {
    fill_from_kernel(out);
    return;
  }
  if (left_ < out.size()) {
    fill_from_kernel(buffer_);
    left_ = buffer_.size();
  }
  const auto begin = buffer_.begin() + static_cast<std::ptrdiff_t>(buffer_.size() - left_);
  const auto end = begin + static_cast<std::ptrdiff_t>(out.size());
  std::copy(begin, end, out.begin());
  // Bytes that were handed out may be a secret: none stays behind.
  std::fill(begin, end, std::uint8_t{0});
  left_ -= out.size();
}

Uuid RandomIds::event_id(Timestamp now) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const auto now_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(since_epoch, 0));
  Uuid uuid;
  const std::lock_guard lock(mutex_);
  take(uuid.bytes);
  if (now_ms > last_ms_) {
    last_ms_ = now_ms;
    counter_ =
        static_cast<std::uint16_t>(((uuid.bytes[6] << 8U) | uuid.bytes[7]) & counter_start_mask);
  } else if (counter_ == counter_max) {
    ++last_ms_;
    counter_ = 0;
  } else {
    ++counter_;
  }
  for (unsigned i = 0; i < 6; ++i) {
    uuid.bytes.at(i) = static_cast<std::uint8_t>(last_ms_ >> (40U - 8U * i));
  }
  uuid.bytes[6] = static_cast<std::uint8_t>(counter_ >> 8U);
  uuid.bytes[7] = static_cast<std::uint8_t>(counter_);
  set_version(uuid, 7);
  return uuid;
}

Uuid RandomIds::random_id() {
  Uuid uuid;
  {
    const std::lock_guard lock(mutex_);
    take(uuid.bytes);
  }
  set_version(uuid, 4);
  return uuid;
}

void RandomIds::random_bytes(std::span<std::uint8_t> out) {
  const std::lock_guard lock(mutex_);
  take(out);
}

}  // namespace annals::log
