#include "annals/time.hpp"

#include <cstddef>

#include "core/text_forms.hpp"

namespace annals {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;

/// Takes fixed-width pieces off the front of a text; after a failure everything fails.
class Pieces {
 public:
  explicit Pieces(std::string_view text) noexcept : text_(text) {}

  /// Exactly `digits` decimal digits.
  int number(std::size_t digits) noexcept {
    if (text_.size() < digits) return fail();
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!is_digit(text_[i])) return fail();
      value = value * 10 + (text_[i] - '0');
    }
    text_.remove_prefix(digits);
    return value;
  }

  /// One character of either spelling.
  bool take(char one, char other) noexcept {
    if (text_.empty() || (text_.front() != one && text_.front() != other)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char one, char other) noexcept {
    if (!take(one, other)) fail();
  }

  /// The digits of a decimal fraction as microseconds; further digits are cut off.
  microseconds fraction() noexcept {
    std::size_t digits = 0;
    int value = 0;
    for (; digits < text_.size() && is_digit(text_[digits]); ++digits) {
      if (digits < 6) value = value * 10 + (text_[digits] - '0');
    }
    if (digits == 0) fail();
    text_.remove_prefix(digits);
    for (; digits < 6; ++digits) {
      value *= 10;
    }
    return microseconds{value};
  }

  [[nodiscard]] bool ended_well() const noexcept { return !failed_ && text_.empty(); }

 private:
  static bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

  int fail() noexcept {
    failed_ = true;
    text_ = {};
    return 0;
  }

  std::string_view text_;
  bool failed_ = false;
};

/// `Z` or a numeric offset from UTC; hours above 23 and minutes above 59 come back as `nullopt`.
std::optional<minutes> read_offset(Pieces& pieces) noexcept {
  if (pieces.take('Z', 'z')) return minutes{0};
  const bool east = pieces.take('+', '+');
  if (!east) pieces.expect('-', '-');
  const int hour = pieces.number(2);
  pieces.expect(':', ':');
  const int minute = pieces.number(2);
  if (hour > 23 || minute > 59) return std::nullopt;
  const minutes size = hours{hour} + minutes{minute};
  return east ? size : -size;
}

constexpr Timestamp first_time = sys_days{std::chrono::year{1} / 1 / 1};
constexpr Timestamp end_of_times = sys_days{std::chrono::year{10'000} / 1 / 1};

}  // namespace

std::string to_string(Timestamp time) {
  std::string text;
  core::append_timestamp(text, time);
  return text;
}

std::optional<Timestamp> parse_timestamp(std::string_view text) noexcept {
  Pieces pieces(text);
  const std::chrono::year year{pieces.number(4)};
  pieces.expect('-', '-');
  const std::chrono::month month{static_cast<unsigned>(pieces.number(2))};
  pieces.expect('-', '-');
  const std::chrono::day day{static_cast<unsigned>(pieces.number(2))};
  pieces.expect('T', 't');
  const hours hour{pieces.number(2)};
  pieces.expect(':', ':');
  const minutes minute{pieces.number(2)};
  pieces.expect(':', ':');
  const seconds second{pieces.number(2)};
  const microseconds fraction = pieces.take('.', '.') ? pieces.fraction() : microseconds{0};
  const auto offset = read_offset(pieces);
  if (!pieces.ended_well() || !offset) return std::nullopt;

  const std::chrono::year_month_day date{year, month, day};
  // A leap second has no place in 64-bit microseconds of UTC days.
  if (!date.ok() || hour > hours{23} || minute > minutes{59} || second > seconds{59}) {
    return std::nullopt;
  }
  const Timestamp time = sys_days{date} + hour + minute + second + fraction - *offset;
  if (time < first_time || time >= end_of_times) return std::nullopt;
  return time;
}

}  // namespace annals
