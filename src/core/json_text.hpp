#pragma once

#include <string>
#include <string_view>

namespace annals::core::json {

// The tokens of RFC 8259 that have an inside: strings and numbers. Pure functions on a piece of
// memory, safe from any thread.

/// A broken rule, as a constant: nothing is allocated before a problem is reported.
struct Fault {
  const char* rule;
  const char* message;
};

/// Where a token ends, or what is wrong with it.
struct Scan {
  const char* at;                ///< Behind the token's last byte, or the offending byte.
  const Fault* fault = nullptr;  ///< Null when the token is right.
  bool escaped = false;          ///< A string that contains an escape.
};

/// Reads a string from the byte behind its opening quote to its closing quote, where `at` stays.
/// Checks escapes, control characters, UTF-8 and surrogate pairs.
[[nodiscard]] Scan scan_string(const char* at, const char* end) noexcept;

/// Reads a number from its first byte.
[[nodiscard]] Scan scan_number(const char* at, const char* end) noexcept;

/// Appends the text that `raw`, the inside of a string accepted by `scan_string`, stands for.
void append_unescaped(std::string& out, std::string_view raw);

/// Appends a reference token to an RFC 6901 pointer.
void append_token(std::string& pointer, std::string_view token);

}  // namespace annals::core::json
