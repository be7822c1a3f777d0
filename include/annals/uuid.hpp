#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace annals {

/// A 128-bit identifier in the byte order of its text form. Immutable value, comparable by bytes.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};  ///< In text order.

  /// True for the nil UUID (all zero), which no event, log or key ever has.
  [[nodiscard]] bool is_nil() const noexcept { return *this == Uuid{}; }

  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

/// The 8-4-4-4-12 form in lower-case hex, 36 characters.
[[nodiscard]] std::string to_string(const Uuid& uuid);

/// Reads the 8-4-4-4-12 form, hex digits in any case. Anything else, braces and URN prefixes
/// included, gives `nullopt`. The nil UUID is read; whether it is allowed is the caller's rule.
[[nodiscard]] std::optional<Uuid> parse_uuid(std::string_view text) noexcept;

}  // namespace annals

template <>
struct std::hash<annals::Uuid> {
  std::size_t operator()(const annals::Uuid& uuid) const noexcept {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size()});
  }
};
