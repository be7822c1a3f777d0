#include "server/base64url.hpp"

#include <cstddef>
#include <cstdint>

namespace annals::server {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr unsigned bits_per_character = 6;
constexpr unsigned bits_per_byte = 8;

}  // namespace

std::optional<std::string> decode_base64url(std::string_view text) {
  std::string out;
  out.reserve(text.size() * bits_per_character / bits_per_byte);
  std::uint32_t bits = 0;  // the lowest `count` of them are not in `out` yet
  unsigned count = 0;
  for (const char c : text) {
    const std::size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << bits_per_character) | static_cast<std::uint32_t>(value);
    count += bits_per_character;
    if (count < bits_per_byte) continue;
    count -= bits_per_byte;
    out.push_back(static_cast<char>(bits >> count));
    bits &= (1U << count) - 1;
  }
  // A character that adds no byte stands for nothing.
  if (bits != 0 || count >= bits_per_character) return std::nullopt;
  return out;
}

}  // namespace annals::server
