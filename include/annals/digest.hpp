#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals {

/// A BLAKE3 hash, 32 raw bytes.
using Digest = std::array<std::uint8_t, 32>;

/// The random prefix of a part's digest, 16 raw bytes, erased together with the part.
using Salt = std::array<std::uint8_t, 16>;

/// 64 lower-case hex digits.
[[nodiscard]] std::string to_hex(const Digest& digest);

/// 32 lower-case hex digits.
[[nodiscard]] std::string to_hex(const Salt& salt);

/// Reads exactly 64 hex digits in any case; anything else gives `nullopt`.
[[nodiscard]] std::optional<Digest> parse_digest(std::string_view text) noexcept;

}  // namespace annals
