#include "client/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace annals::client {

namespace {

/// What may follow a first byte: how many bytes, and the bounds of the first of them.
struct Sequence {
  std::size_t more = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
};

/// More than any sequence has: the byte begins none.
constexpr std::size_t none = 4;

Sequence begun_by(std::uint8_t first) {
  if (first < 0x80) return {0};
  if (first >= 0xC2 && first <= 0xDF) return {1};
  if (first == 0xE0) return {2, 0xA0};
  if (first == 0xED) return {2, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {2};
  if (first == 0xF0) return {3, 0x90};
  if (first == 0xF4) return {3, 0x80, 0x8F};
  if (first >= 0xF1 && first <= 0xF3) return {3};
  return {none};
}

/// Bytes of the character at `at`, or of what there is of it.
struct Character {
  std::size_t bytes = 1;
  bool complete = false;
};

Character character_at(std::string_view text, std::size_t at) {
  const Sequence sequence = begun_by(static_cast<std::uint8_t>(text[at]));
  if (sequence.more == none) return {};
  Character character;
  std::uint8_t low = sequence.low;
  std::uint8_t high = sequence.high;
  while (character.bytes <= sequence.more && at + character.bytes < text.size()) {
    const auto byte = static_cast<std::uint8_t>(text[at + character.bytes]);
    if (byte < low || byte > high) break;
    low = 0x80;
    high = 0xBF;
    ++character.bytes;
  }
  character.complete = character.bytes == sequence.more + 1;
  return character;
}

}  // namespace

void replace_malformed(std::string& text) {
  std::string out;
  std::size_t kept = 0;  // bytes of `text` that `out` accounts for
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (!character.complete) {
      out.append(text, kept, at - kept);
      out += "\xEF\xBF\xBD";
      kept = at + character.bytes;
    }
    at += character.bytes;
  }
  if (kept == 0) return;
  out.append(text, kept);
  text = std::move(out);
}

}  // namespace annals::client
