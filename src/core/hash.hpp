#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "annals/digest.hpp"

namespace annals::core {

/// BLAKE3 of `bytes`.
[[nodiscard]] Digest blake3(std::string_view bytes) noexcept;

/// Salted digest of an erasable part: BLAKE3(salt || bytes).
[[nodiscard]] Digest part_digest(const Salt& salt, std::string_view bytes) noexcept;

/// BLAKE3(prev_hash || header bytes); without a previous hash the prefix is empty, not zeros.
[[nodiscard]] Digest row_hash(const std::optional<Digest>& prev_hash,
                              std::string_view header_bytes) noexcept;

/// BLAKE3(previous log hash || row hash), the running hash over every event in seq order.
[[nodiscard]] Digest next_log_hash(const Digest& previous, const Digest& row_hash) noexcept;

/// Compares in a time that depends on the sizes only, for secrets.
[[nodiscard]] bool equal_constant_time(std::span<const std::uint8_t> left,
                                       std::span<const std::uint8_t> right) noexcept;

}  // namespace annals::core
