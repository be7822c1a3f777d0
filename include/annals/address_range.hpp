#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "annals/result.hpp"

namespace annals {

/// An IP address. One of IPv4 is held in the form mapped to IPv6, so that it is the same address
/// however a socket reports it. Plain value.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  ///< In network order.

  /// True for an address of IPv4.
  [[nodiscard]] bool is_v4() const noexcept;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;
  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

/// Reads `10.0.0.1`, `2001:db8::1` or `::ffff:10.0.0.1`: four decimal numbers without leading
/// zeros, or the forms of RFC 4291; `nullopt` for anything else, such as zones, ports and brackets.
/// Pure.
[[nodiscard]] std::optional<IpAddress> parse_ip_address(std::string_view text) noexcept;

/// IPv4 in four decimal numbers, IPv6 in the form of RFC 5952. Pure.
[[nodiscard]] std::string to_string(const IpAddress& address);

/// Addresses that share their first bits. Plain value.
struct AddressRange {
  IpAddress first;               ///< The lowest address: every bit behind the prefix is 0.
  std::uint8_t prefix_bits = 0;  ///< 0 to 128, counted in the 16 bytes: 96 more than IPv4 writes.

  /// True when `address` is in the range. An IPv4 address is in no range of IPv6.
  [[nodiscard]] bool contains(const IpAddress& address) const noexcept;

  friend bool operator==(const AddressRange&, const AddressRange&) = default;
  friend auto operator<=>(const AddressRange&, const AddressRange&) = default;
};

/// Ranges of addresses; an address is in them when it is in one.
using AddressRanges = std::set<AddressRange>;

/// Most address ranges of one key.
inline constexpr std::size_t max_address_ranges = 100;

/// `10.0.0.0/8`, `2001:db8::/32`. Pure.
[[nodiscard]] std::string to_string(const AddressRange& range);

/// Reads an address with `/` and the number of bits that count, 0 to 32 for IPv4 and 0 to 128 for
/// IPv6; without them the one address. Fails with `invalid_request` for anything else, and when a
/// bit behind the prefix is set: `10.0.0.1/8` says two different things. Pure.
[[nodiscard]] Result<AddressRange> parse_address_range(std::string_view text);

}  // namespace annals
