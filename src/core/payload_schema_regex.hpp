#pragma once

#include <cstddef>
#include <expected>
#include <regex>
#include <string>
#include <string_view>

namespace annals::core {

/// A regular expression of a schema (ECMAScript, over Unicode code points), safe to run on text
/// that anybody sends: time linear in the text and stack that does not depend on it. That rules out
/// back references. Immutable; shared between threads.
class SchemaRegex {
 public:
  static constexpr std::size_t max_bytes = 1000;  ///< Longest pattern.
  static constexpr std::size_t max_cost = 2000;   ///< Most states, repetitions multiplied out.
  static constexpr std::size_t max_groups = 32;   ///< Deepest nesting of groups.

  /// The error says for people why the pattern cannot be used.
  static std::expected<SchemaRegex, std::string> compile(std::string_view pattern);

  /// States of the pattern: what each character of a text can cost.
  [[nodiscard]] std::size_t cost() const noexcept { return cost_; }

  /// True when the pattern matches somewhere in `text`, which is valid UTF-8.
  [[nodiscard]] bool found_in(std::string_view text) const;

 private:
  SchemaRegex(std::wregex regex, std::size_t cost);

  std::wregex regex_;
  std::size_t cost_;
};

}  // namespace annals::core
