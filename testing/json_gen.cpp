#include "testing/json_gen.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

namespace annals::test {

namespace {

constexpr std::size_t max_levels = 64;

constexpr std::array<std::string_view, 20> numbers{"0",
                                                   "-0",
                                                   "1.0",
                                                   "-1",
                                                   "1e5",
                                                   "1E+2",
                                                   "2.50e-3",
                                                   "9007199254740991",
                                                   "9007199254740993",
                                                   "-9223372036854775808",
                                                   "18446744073709551616",
                                                   "0.1234567890123456789",
                                                   "1e400",
                                                   "-1E-400",
                                                   "100000000000000000000000000000000000000000",
                                                   "3.14159265358979323846264338327950288",
                                                   "0.0",
                                                   "-0.0e0",
                                                   "42",
                                                   "1.7976931348623157e308"};

char32_t random_code_point(Random& random) {
  switch (random.below(8)) {
    case 0:
      return static_cast<char32_t>(random.between(0x01, 0x1f));
    case 1:
      return random.pick({U'"', U'\\', U'/', U'\x7f', U' ', U'$', U'<', U'&'});
    case 2:
      return static_cast<char32_t>(random.between(0x80, 0x7ff));
    case 3:
      return random.pick({U'\u0301', U'\u05d0', U'\u0627', U'\u2028', U'\u2029', U'\ufeff',
                          U'\ufffd', U'\ue000', U'\uffff', U'\u200d'});
    case 4:
      return static_cast<char32_t>(random.between(0x4e00, 0x9fff));
    case 5:
      return random.pick({U'\U0001f600', U'\U0001f468', U'\U00010000', U'\U0010ffff'});
    default:
      return static_cast<char32_t>(random.between('a', 'z'));
  }
}

void append_hex_escape(std::string& out, std::uint32_t unit, bool upper) {
  const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    out += digits[(unit >> shift) & 0xfU];
}

/// One character of a JSON string in one of the spellings the grammar allows for it.
void append_spelled(Random& random, std::string& out, char32_t c) {
  constexpr std::string_view short_of = "\b\t\n\f\r\"\\/";
  constexpr std::string_view short_as = "btnfr\"\\/";
  const bool must_escape = c < 0x20 || c == U'"' || c == U'\\';
  const auto position = c < 0x80 ? short_of.find(static_cast<char>(c)) : std::string_view::npos;
  if (position != std::string_view::npos && c != 0 && random.chance(50)) {
    out += '\\';
    out += short_as[position];
  } else if (must_escape || random.chance(10)) {
    const bool upper = random.chance(50);
    if (c < 0x10000) {
      append_hex_escape(out, c, upper);
    } else {
      append_hex_escape(out, 0xd800 + ((c - 0x10000) >> 10), upper);
      append_hex_escape(out, 0xdc00 + ((c - 0x10000) & 0x3ff), upper);
    }
  } else {
    append_utf8(out, c);
  }
}

/// Writes the two spellings of one payload side by side.
class Writer {
 public:
  Writer(Random& random, std::size_t max_bytes) : random_(random), left_(max_bytes) {}

  /// A container costs its two brackets, reserved before what is in it.
  void object(std::size_t level) {
    left_ -= 2;
    token("{");
    std::set<std::string> keys;
    const auto members = random_.below(level == 1 ? 12 : 5);
    for (std::uint64_t i = 0; i < members; ++i) {
      std::string plain;
      const std::string key = string_token(8, &plain);
      // Key, colon, comma and the shortest value.
      const std::size_t cost = key.size() + 3;
      if (left_ < cost) break;
      if (!keys.insert(plain).second) continue;
      if (keys.size() > 1) token(",");
      token(key);
      token(":");
      left_ -= cost;
      value(level + 1);
    }
    token("}");
  }

  GeneratedPayload take() { return {std::move(sent_), std::move(compact_)}; }

 private:
  /// One byte of the value is already paid for.
  void value(std::size_t level) {
    const auto kind = random_.below(10);
    if (kind < 2 && level <= max_levels && left_ >= 1) {
      left_ += 1;
      object(level);
    } else if (kind < 4 && level <= max_levels && left_ >= 1) {
      left_ += 1;
      array(level);
    } else if (kind < 7) {
      scalar(string_token(24, nullptr));
    } else if (kind < 9) {
      scalar(std::string(random_.pick(numbers)));
    } else {
      scalar(random_.chance(50) ? "true" : "false");
    }
  }

  void array(std::size_t level) {
    left_ -= 2;
    token("[");
    const auto elements = random_.below(5);
    for (std::uint64_t i = 0; i < elements && left_ >= 2; ++i) {
      if (i > 0) token(",");
      left_ -= 2;
      value(level + 1);
    }
    token("]");
  }

  void scalar(const std::string& text) {
    if (text.size() - 1 <= left_) {
      left_ -= text.size() - 1;
      token(text);
    } else {
      token("7");
    }
  }

  std::string string_token(std::size_t max_characters, std::string* plain) {
    std::string out = "\"";
    const auto characters = random_.below(max_characters + 1);
    for (std::uint64_t i = 0; i < characters; ++i) {
      // The only place where an event may carry U+0000, and only as an escape.
      const char32_t c = random_.chance(2) ? U'\0' : random_code_point(random_);
      append_spelled(random_, out, c);
      if (plain != nullptr) append_utf8(*plain, c);
    }
    out += '"';
    return out;
  }

  void token(std::string_view text) {
    space();
    sent_ += text;
    compact_ += text;
    space();
  }

  void space() {
    if (random_.chance(15)) sent_ += random_.pick({" ", "\n", "\t", "\r\n", "   "});
  }

  Random& random_;
  std::size_t left_;
  std::string sent_;
  std::string compact_;
};

}  // namespace

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0U | (c >> 6U));
    byte(0x80U | (c & 0x3fU));
  } else if (c < 0x10000) {
    byte(0xe0U | (c >> 12U));
    byte(0x80U | ((c >> 6U) & 0x3fU));
    byte(0x80U | (c & 0x3fU));
  } else {
    byte(0xf0U | (c >> 18U));
    byte(0x80U | ((c >> 12U) & 0x3fU));
    byte(0x80U | ((c >> 6U) & 0x3fU));
    byte(0x80U | (c & 0x3fU));
  }
}

std::string random_text(Random& random, std::size_t max_bytes) {
  std::string out;
  if (max_bytes == 0) return out;
  // Lengths at the limit are where the faults are.
  const std::size_t wanted =
      random.chance(10) ? max_bytes : random.between(1, std::min<std::size_t>(max_bytes, 24));
  while (out.size() < wanted) {
    std::string next;
    append_utf8(next, random_code_point(random));
    if (out.size() + next.size() > wanted) next.assign(wanted - out.size(), 'x');
    out += next;
  }
  return out;
}

GeneratedPayload random_payload(Random& random, std::size_t max_bytes) {
  Writer writer(random, max_bytes);
  writer.object(1);
  return writer.take();
}

GeneratedPayload payload_of_size(Random& random, std::size_t bytes) {
  constexpr std::string_view before = "{\"blob\":\"";
  constexpr std::string_view after = "\"}";
  std::string text(before);
  const std::size_t end = bytes - after.size();
  while (text.size() < end) {
    std::string next;
    append_utf8(next, static_cast<char32_t>(random.chance(80) ? random.between('a', 'z')
                                                              : random.between(0x4e00, 0x9fff)));
    if (text.size() + next.size() > end) next.assign(end - text.size(), 'x');
    text += next;
  }
  text += after;
  return {"\n" + text + " ", text};
}

GeneratedPayload payload_of_depth(Random& random, std::size_t levels) {
  GeneratedPayload out;
  std::string closing;
  for (std::size_t level = 1; level <= levels; ++level) {
    // The innermost container is empty; an object needs a key in front of what it holds.
    const bool is_object = level == 1 || random.chance(50);
    out.compact += is_object ? "{" : "[";
    closing.insert(closing.begin(), is_object ? '}' : ']');
    if (is_object && level < levels) out.compact += "\"a\":";
  }
  out.compact += closing;
  out.sent = "  " + out.compact + "\t";
  return out;
}

}  // namespace annals::test
