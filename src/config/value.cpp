#include "config/value.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <span>

namespace annals::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// From the largest to the smallest: formatting takes the first that is exact.
constexpr std::array<Unit, 5> duration_units{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};
constexpr std::array<Unit, 5> size_units{{{"TiB", std::uint64_t{1} << 40U},
                                          {"GiB", std::uint64_t{1} << 30U},
                                          {"MiB", std::uint64_t{1} << 20U},
                                          {"KiB", std::uint64_t{1} << 10U},
                                          {"B", 1}}};

constexpr std::uint64_t max_duration_ms = std::uint64_t{86'400'000} * 3'652'500;
constexpr std::uint64_t max_size_bytes = (std::uint64_t{1} << 53U) - 1;

std::optional<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units,
                                             std::uint64_t max) {
  const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
  const auto number = parse_integer(digits);
  if (!number) return std::nullopt;
  const auto name = text.substr(digits.size());
  for (const auto& unit : units) {
    if (unit.name != name) continue;
    if (*number > max / unit.factor) return std::nullopt;
    return *number * unit.factor;
  }
  return std::nullopt;
}

std::string with_unit(std::uint64_t number, std::span<const Unit> units) {
  for (const auto& unit : units) {
    if (number != 0 && number % unit.factor == 0) {
      return std::to_string(number / unit.factor) + std::string(unit.name);
    }
  }
  return "0" + std::string(units.back().name);
}

void append_toml_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", unsigned{byte});
      out += escaped.data();
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  std::uint64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto number = parse_with_unit(text, duration_units, max_duration_ms);
  if (!number) return std::nullopt;
  return std::chrono::milliseconds(*number);
}

std::optional<Size> parse_size(std::string_view text) {
  const auto number = parse_with_unit(text, size_units, max_size_bytes);
  if (!number) return std::nullopt;
  return Size{*number};
}

std::string to_string(std::chrono::milliseconds duration) {
  return with_unit(static_cast<std::uint64_t>(duration.count()), duration_units);
}

std::string to_string(Size size) {
  return with_unit(size.bytes, size_units);
}

std::string to_text(const Value& value) {
  struct Writer {
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(std::uint64_t number) const { return std::to_string(number); }
    std::string operator()(std::chrono::milliseconds duration) const { return to_string(duration); }
    std::string operator()(Size size) const { return to_string(size); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  };
  return std::visit(Writer{}, value);
}

std::string to_toml(const Value& value) {
  std::string text = to_text(value);
  if (std::holds_alternative<std::uint64_t>(value) || std::holds_alternative<bool>(value)) {
    return text;
  }
  std::string out;
  append_toml_string(out, text);
  return out;
}

}  // namespace annals::config
