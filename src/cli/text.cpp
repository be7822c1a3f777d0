#include "cli/text.hpp"

namespace annals::cli {
namespace {

/// Length of the well-formed UTF-8 sequence at the beginning of `text`; 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second > 0x9f;
  const bool too_high = lead == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_high ? 0 : length;
}

bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  const bool c1 = first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
  // Characters that reorder what stands around them: U+202A..U+202E and U+2066..U+2069.
  const bool reorders =
      sequence.size() == 3 && first == 0xe2 &&
      ((sequence[1] == '\x80' && sequence[2] >= '\xaa' && sequence[2] <= '\xae') ||
       (sequence[1] == '\x81' && sequence[2] >= '\xa6' && sequence[2] <= '\xa9'));
  return c1 || reorders;
}

/// Appends at most `limit` printable code points; returns how many, and moves `text` behind them.
std::size_t take(std::string& out, std::string_view& text, std::size_t limit) {
  std::size_t count = 0;
  while (!text.empty() && count < limit) {
    const std::size_t length = sequence_length(text);
    const auto sequence = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(sequence)) {
      out += '?';
    } else {
      out += sequence;
    }
    text.remove_prefix(sequence.size());
    ++count;
  }
  return count;
}

std::size_t clip_into(std::string& out, std::string_view text, std::size_t columns) {
  if (columns == 0) return 0;
  const std::size_t count = take(out, text, columns - 1);
  std::string last;
  const std::size_t more = take(last, text, 1);
  out += text.empty() ? last : "~";
  return count + more;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  take(out, text, text.size());
  return out;
}

std::string clipped(std::string_view text, std::size_t columns) {
  std::string out;
  clip_into(out, text, columns);
  return out;
}

std::string cell(std::string_view text, std::size_t columns) {
  std::string out;
  const std::size_t width = clip_into(out, text, columns);
  out.append(columns - width, ' ');
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t end = digits.size(); end > 3; end -= 3)
    digits.insert(end - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return grouped(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

}  // namespace annals::cli
