#include "core/hash.hpp"

#include <blake3.h>

#include <cstddef>

namespace annals::core {

namespace {

/// BLAKE3 finds out what the processor can do with its first hash, and keeps that in a plain
/// global: one thread has to be through with it before others hash.
bool detect_processor() noexcept {
  blake3_hasher hasher;
  blake3_hasher_init(&hasher);
  Digest digest;
  blake3_hasher_finalize(&hasher, digest.data(), digest.size());
  return true;
}

/// One hash of up to two pieces: the same as of their concatenation, without making it.
Digest hash_of(std::span<const std::uint8_t> prefix, std::string_view bytes) noexcept {
  [[maybe_unused]] static const bool processor_known = detect_processor();
  blake3_hasher hasher;
  blake3_hasher_init(&hasher);
  if (!prefix.empty()) blake3_hasher_update(&hasher, prefix.data(), prefix.size());
  blake3_hasher_update(&hasher, bytes.data(), bytes.size());
  Digest digest;
  blake3_hasher_finalize(&hasher, digest.data(), digest.size());
  return digest;
}

}  // namespace

Digest blake3(std::string_view bytes) noexcept {
  return hash_of({}, bytes);
}

Digest part_digest(const Salt& salt, std::string_view bytes) noexcept {
  return hash_of(salt, bytes);
}

Digest row_hash(const std::optional<Digest>& prev_hash, std::string_view header_bytes) noexcept {
  return prev_hash ? hash_of(*prev_hash, header_bytes) : hash_of({}, header_bytes);
}

Digest next_log_hash(const Digest& previous, const Digest& row_hash) noexcept {
  return hash_of(previous, {reinterpret_cast<const char*>(row_hash.data()), row_hash.size()});
}

bool equal_constant_time(std::span<const std::uint8_t> left,
                         std::span<const std::uint8_t> right) noexcept {
  if (left.size() != right.size()) return false;
  // volatile keeps the compiler from leaving the loop at the first difference.
  volatile std::uint8_t difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference = difference | static_cast<std::uint8_t>(left[i] ^ right[i]);
  }
  return difference == 0;
}

}  // namespace annals::core
