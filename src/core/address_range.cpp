#include "annals/address_range.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace annals {
namespace {

constexpr std::array<std::uint8_t, 12> v4_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::size_t v4_bits = v4_prefix.size() * 8;
constexpr std::size_t all_bits = 128;
constexpr std::size_t group_count = 8;

using Groups = std::array<std::uint16_t, group_count>;

/// A number of digits alone, at most `max` and `max_digits` long.
template <typename Number>
std::optional<Number> read_number(std::string_view text, int base, std::size_t max_digits,
                                  std::uint32_t max) noexcept {
  std::uint32_t value = 0;
  if (text.empty() || text.size() > max_digits) return std::nullopt;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value, base);
  if (error != std::errc{} || end != text.end() || value > max) return std::nullopt;
  return static_cast<Number>(value);
}

/// Decimal, without leading zeros: some would read those as octal.
std::optional<std::uint8_t> read_decimal(std::string_view text, std::uint32_t max) noexcept {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return read_number<std::uint8_t>(text, 10, 3, max);
}

/// Reads `a.b.c.d` into the last four bytes.
bool read_v4(std::string_view text, IpAddress& address) noexcept {
  for (std::size_t i = v4_prefix.size(); i < address.bytes.size(); ++i) {
    const bool last = i + 1 == address.bytes.size();
    const std::size_t dot = text.find('.');
    if (last != (dot == std::string_view::npos)) return false;
    const auto number = read_decimal(text.substr(0, dot), 0xff);
    if (!number) return false;
    address.bytes.at(i) = *number;
    if (!last) text.remove_prefix(dot + 1);
  }
  return true;
}

/// Groups of 16 bits as they are written, on one side of `::`.
struct WrittenGroups {
  Groups groups{};
  std::size_t count = 0;

  [[nodiscard]] bool add(std::uint16_t group) noexcept {
    if (count == groups.size()) return false;
    groups.at(count++) = group;
    return true;
  }
};

/// Reads groups separated by single colons, the last of which may be an IPv4 address.
std::optional<WrittenGroups> read_groups(std::string_view text) noexcept {
  WrittenGroups written;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    IpAddress v4;
    if (colon == std::string_view::npos && read_v4(part, v4)) {
      const auto byte = [&](std::size_t i) { return unsigned{v4.bytes.at(i)}; };
      if (!written.add(static_cast<std::uint16_t>(byte(12) << 8U | byte(13)))) return std::nullopt;
      if (!written.add(static_cast<std::uint16_t>(byte(14) << 8U | byte(15)))) return std::nullopt;
      return written;
    }
    const auto group = read_number<std::uint16_t>(part, 16, 4, 0xffff);
    if (!group || !written.add(*group)) return std::nullopt;
    if (colon == std::string_view::npos) return written;
    text.remove_prefix(colon + 1);
    if (text.empty()) return std::nullopt;
  }
  return written;
}

void set_group(IpAddress& address, std::size_t index, std::uint16_t group) noexcept {
  address.bytes.at(2 * index) = static_cast<std::uint8_t>(group >> 8U);
  address.bytes.at(2 * index + 1) = static_cast<std::uint8_t>(group & 0xffU);
}

std::optional<IpAddress> read_v6(std::string_view text) noexcept {
  const std::size_t gap = text.find("::");
  const auto front = read_groups(text.substr(0, gap));
  if (!front) return std::nullopt;
  WrittenGroups back;
  if (gap != std::string_view::npos) {
    // What stands before the gap ends in a group, never in an IPv4 address.
    if (text.substr(0, gap).find('.') != std::string_view::npos) return std::nullopt;
    const auto read = read_groups(text.substr(gap + 2));
    if (!read) return std::nullopt;
    back = *read;
  }
  const std::size_t written = front->count + back.count;
  if (gap == std::string_view::npos ? written != group_count : written >= group_count) {
    return std::nullopt;
  }
  IpAddress address;
  for (std::size_t i = 0; i < front->count; ++i)
    set_group(address, i, front->groups.at(i));
  for (std::size_t i = 0; i < back.count; ++i)
    set_group(address, group_count - back.count + i, back.groups.at(i));
  return address;
}

Groups groups_of(const IpAddress& address) noexcept {
  Groups groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups.at(i) = static_cast<std::uint16_t>(unsigned{address.bytes.at(2 * i)} << 8U |
                                              address.bytes.at(2 * i + 1));
  }
  return groups;
}

/// The first of the longest runs of two or more zero groups: where it begins, and its length or 0.
std::pair<std::size_t, std::size_t> longest_gap(const Groups& groups) noexcept {
  std::pair<std::size_t, std::size_t> longest{0, 0};
  for (std::size_t begin = 0; begin < groups.size(); ++begin) {
    std::size_t end = begin;
    while (end < groups.size() && groups.at(end) == 0)
      ++end;
    if (end - begin >= 2 && end - begin > longest.second) longest = {begin, end - begin};
  }
  return longest;
}

void append_hex(std::string& out, std::uint16_t group) {
  std::array<char, 4> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), group, 16);
  out.append(digits.data(), end);
}

bool bit_at(const IpAddress& address, std::size_t index) noexcept {
  return (address.bytes.at(index / 8) >> (7 - index % 8) & 1U) != 0;
}

std::unexpected<Error> refuse(const char* reason) {
  return fail(ErrorCode::invalid_request, std::string("An address range ") + reason);
}

}  // namespace

bool IpAddress::is_v4() const noexcept {
  return std::equal(v4_prefix.begin(), v4_prefix.end(), bytes.begin());
}

std::optional<IpAddress> parse_ip_address(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  if (text.find(':') != std::string_view::npos) return read_v6(text);
  IpAddress address;
  std::ranges::copy(v4_prefix, address.bytes.begin());
  if (!read_v4(text, address)) return std::nullopt;
  return address;
}

std::string to_string(const IpAddress& address) {
  std::string out;
  if (address.is_v4()) {
    for (std::size_t i = v4_prefix.size(); i < address.bytes.size(); ++i) {
      if (!out.empty()) out += '.';
      out += std::to_string(address.bytes.at(i));
    }
    return out;
  }
  const Groups groups = groups_of(address);
  const auto [begin, length] = longest_gap(groups);
  for (std::size_t i = 0; i < groups.size();) {
    if (length != 0 && i == begin) {
      out += "::";
      i += length;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    append_hex(out, groups.at(i));
    ++i;
  }
  return out;
}

bool AddressRange::contains(const IpAddress& address) const noexcept {
  const bool of_v4 = first.is_v4() && prefix_bits >= v4_bits;
  if (address.is_v4() && !of_v4) return false;
  for (std::size_t bit = 0; bit < prefix_bits; ++bit) {
    if (bit_at(address, bit) != bit_at(first, bit)) return false;
  }
  return true;
}

std::string to_string(const AddressRange& range) {
  const bool v4 = range.first.is_v4() && range.prefix_bits >= v4_bits;
  // The mapped form would read as one of IPv4, which has no such prefix.
  const std::size_t bits = v4 ? range.prefix_bits - v4_bits : range.prefix_bits;
  return to_string(range.first) + '/' + std::to_string(bits);
}

Result<AddressRange> parse_address_range(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view written = text.substr(0, slash);
  const auto address = parse_ip_address(written);
  if (!address) return refuse("is an IPv4 or IPv6 address, then / and the bits that count");
  const bool as_v4 = written.find(':') == std::string_view::npos;
  if (!as_v4 && address->is_v4()) return refuse("of IPv4 is written as 10.0.0.0/8");
  const std::size_t unwritten = as_v4 ? v4_bits : 0;
  AddressRange range{*address, all_bits};
  if (slash != std::string_view::npos) {
    const auto bits = read_decimal(text.substr(slash + 1), all_bits - unwritten);
    if (!bits) return refuse("counts 0 to 32 bits of IPv4, or 0 to 128 of IPv6");
    range.prefix_bits = static_cast<std::uint8_t>(*bits + unwritten);
  }
  for (std::size_t bit = range.prefix_bits; bit < all_bits; ++bit) {
    if (bit_at(*address, bit)) return refuse("has no bit set behind those that count");
  }
  return range;
}

}  // namespace annals
