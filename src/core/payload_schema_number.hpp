#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace annals::core {

/// A JSON number exactly as it was spelled, of any length: schemas compare what was sent, not what
/// a double makes of it. Value: +-0.DIGITS x 10^point, without leading or trailing zeros, so that
/// equal numbers are equal objects whatever their spelling. Immutable value.
class Decimal {
 public:
  /// Reads a number of the JSON grammar. Exponents beyond +-10^15 are taken as that bound.
  explicit Decimal(std::string_view spelling);

  [[nodiscard]] bool is_zero() const noexcept { return digits_.empty(); }
  [[nodiscard]] bool is_negative() const noexcept { return negative_; }

  /// True without a fractional part: `1.0` and `1e3` are integers.
  [[nodiscard]] bool is_integer() const noexcept;

  /// The value when it is an integer from 0 to 2^53 - 1.
  [[nodiscard]] std::optional<std::uint64_t> to_count() const noexcept;

  /// Digits that carry the value.
  [[nodiscard]] std::size_t precision() const noexcept { return digits_.size(); }

  /// True when this is an integer times `divisor`, which has at most 18 digits and is not zero.
  [[nodiscard]] bool is_multiple_of(const Decimal& divisor) const noexcept;

  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& left, const Decimal& right) noexcept;

 private:
  bool negative_ = false;
  std::int64_t point_ = 0;
  std::string digits_;
};

}  // namespace annals::core
