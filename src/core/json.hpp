#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "annals/options.hpp"
#include "core/json_problem.hpp"
#include "core/json_scanner.hpp"

namespace annals::core::json {

/// Strict pull reader over one RFC 8259 text: valid UTF-8 without BOM, no lone surrogates, unique
/// member names (compared after unescaping), nesting to `max_depth`, nothing after the value. Never
/// converts a number. Used on one thread; the text must outlive it. After the first problem every
/// call returns false or an empty value and `problem()` says what it is.
class Reader {
 public:
  explicit Reader(std::string_view text);

  /// The type of the next value, or `nullopt` after a problem or at a syntax error.
  std::optional<Type> peek();

  bool begin_object();
  /// Moves to the next member and gives its unescaped name; false at the end of the object. A value
  /// that was not read is skipped, with every check.
  bool next_member(std::string& name);
  bool begin_array();
  /// Moves to the next element; false at the end of the array. Skips as `next_member` does.
  bool next_element();

  /// Unescaped. As for every `read_` and `begin_` function, another type is a `type` problem.
  bool read_string(std::string& out);
  /// The number exactly as spelled.
  bool read_number(std::string_view& out);
  bool read_boolean(bool& out);
  bool read_null();

  /// Reads the next value whole, checking every rule, and gives its exact text, inner whitespace
  /// included. The value counts its own depth from 1, wherever it stands.
  bool read_raw(std::string_view& out);

  /// True when the text ended after the value; else a `trailing` problem.
  bool finish();

  /// Where the reader stands in the text: after `peek` at the first byte of the next value, after a
  /// value was read, or its last member or element passed, behind its last byte.
  [[nodiscard]] const char* position() const noexcept { return scanner_.position(); }

  [[nodiscard]] const std::optional<Problem>& problem() const noexcept {
    return scanner_.problem();
  }

  /// RFC 6901 pointer of the current member or element, also after its value was read.
  [[nodiscard]] std::string pointer() const { return scanner_.pointer(); }

 private:
  bool expect(Type type, const Fault& fault);
  bool skip_unread();

  Scanner scanner_;
  bool unread_ = true;  ///< The value at the current position has not been read.
};

/// Checks an object text by all rules of a payload and removes insignificant whitespace only: key
/// order, number spelling and escapes stay as sent. With `NullPolicy::strip` null members go, null
/// array elements are a problem either way. The outermost value must be an object (rule `type`).
/// One pass, no recursion, memory bounded by the depth and the keys of open objects.
[[nodiscard]] std::expected<std::string, Problem> compact_payload(std::string_view text,
                                                                  NullPolicy nulls);

}  // namespace annals::core::json
