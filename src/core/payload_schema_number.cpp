#include "core/payload_schema_number.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "annals/record.hpp"

namespace annals::core {
namespace {

constexpr std::int64_t max_exponent = 1'000'000'000'000'000;

__extension__ using Wide = unsigned __int128;

std::uint64_t multiply(std::uint64_t left, std::uint64_t right, std::uint64_t modulus) noexcept {
  return static_cast<std::uint64_t>(Wide{left} * right % modulus);
}

std::uint64_t power_of_ten(std::uint64_t exponent, std::uint64_t modulus) noexcept {
  std::uint64_t result = 1 % modulus;
  for (std::uint64_t base = 10 % modulus; exponent > 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) result = multiply(result, base, modulus);
    base = multiply(base, base, modulus);
  }
  return result;
}

/// The exponent of a spelling, from behind its `e`, bounded.
std::int64_t read_exponent(std::string_view text) noexcept {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) exponent = max_exponent;
  exponent = std::min(exponent, max_exponent);
  return negative ? -exponent : exponent;
}

}  // namespace

Decimal::Decimal(std::string_view spelling) {
  negative_ = spelling.starts_with('-');
  if (negative_) spelling.remove_prefix(1);
  const std::size_t e = spelling.find_first_of("eE");
  const std::string_view mantissa = spelling.substr(0, e);
  const std::size_t dot = mantissa.find('.');
  digits_ = mantissa.substr(0, dot);
  point_ = static_cast<std::int64_t>(digits_.size());
  if (dot != std::string_view::npos) digits_ += mantissa.substr(dot + 1);
  if (e != std::string_view::npos) point_ += read_exponent(spelling.substr(e + 1));

  const std::size_t first = digits_.find_first_not_of('0');
  if (first == std::string::npos) {
    negative_ = false;
    point_ = 0;
    digits_.clear();
    return;
  }
  digits_.erase(digits_.find_last_not_of('0') + 1);
  digits_.erase(0, first);
  point_ -= static_cast<std::int64_t>(first);
}

bool Decimal::is_integer() const noexcept {
  return std::cmp_less_equal(digits_.size(), std::max<std::int64_t>(point_, 0));
}

std::optional<std::uint64_t> Decimal::to_count() const noexcept {
  constexpr std::int64_t longest = 16;
  if (negative_ || !is_integer() || point_ > longest) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; std::cmp_less(i, point_); ++i) {
    value = value * 10 + (i < digits_.size() ? static_cast<std::uint64_t>(digits_[i] - '0') : 0);
  }
  if (value > max_seq) return std::nullopt;
  return value;
}

bool Decimal::is_multiple_of(const Decimal& divisor) const noexcept {
  if (is_zero()) return true;
  std::uint64_t modulus = 0;
  for (const char digit : divisor.digits_) {
    modulus = modulus * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  // Both as whole digits times a power of ten. Trailing zeros are stripped, so a number with a
  // finer scale than the divisor is never a multiple of it.
  const std::int64_t scale = point_ - static_cast<std::int64_t>(digits_.size());
  const std::int64_t divisor_scale =
      divisor.point_ - static_cast<std::int64_t>(divisor.digits_.size());
  if (scale < divisor_scale) return false;

  std::uint64_t rest = 0;
  for (const char digit : digits_) {
    const Wide next = Wide{rest} * 10 + static_cast<unsigned>(digit - '0');
    rest = static_cast<std::uint64_t>(next % modulus);
  }
  return multiply(rest, power_of_ten(static_cast<std::uint64_t>(scale - divisor_scale), modulus),
                  modulus) == 0;
}

std::strong_ordering operator<=>(const Decimal& left, const Decimal& right) noexcept {
  const auto sign = [](const Decimal& number) {
    if (number.is_zero()) return 0;
    return number.negative_ ? -1 : 1;
  };
  if (const auto order = sign(left) <=> sign(right); order != 0) return order;
  const Decimal& low = left.negative_ ? right : left;
  const Decimal& high = left.negative_ ? left : right;
  if (const auto order = low.point_ <=> high.point_; order != 0) return order;
  return low.digits_ <=> high.digits_;
}

}  // namespace annals::core
