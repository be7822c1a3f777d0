#include "client/event_ids.hpp"

#include <openssl/rand.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace annals::client {

Uuid new_event_id() {
  Uuid id;
  if (RAND_bytes(id.bytes.data(), static_cast<int>(id.bytes.size())) != 1) {
    // An id that is not random may be another event's: nothing can be appended safely.
    throw std::runtime_error("the system gives no random bytes");
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  auto left = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  for (std::size_t i = 6; i-- > 0;) {
    id.bytes[i] = static_cast<std::uint8_t>(left & 0xFF);
    left >>= 8;
  }
  id.bytes[6] = static_cast<std::uint8_t>(0x70 | (id.bytes[6] & 0x0F));
  id.bytes[8] = static_cast<std::uint8_t>(0x80 | (id.bytes[8] & 0x3F));
  return id;
}

}  // namespace annals::client
