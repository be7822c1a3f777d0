#pragma once

#include <cstddef>
#include <string>

namespace annals::core::json {

/// The kind of a JSON value.
enum class Type { null, boolean, number, string, array, object };

/// Where and why a text is not what it must be. Its message never carries the text itself; the
/// pointer names members.
struct Problem {
  std::string pointer;     ///< RFC 6901, of the innermost value or member concerned.
  std::string rule;        ///< `syntax`, `utf8`, `surrogate`, `duplicate_key`, `depth`, `trailing`,
                           ///< `null`, `type`.
  std::string message;     ///< For people.
  std::size_t offset = 0;  ///< Byte in the text.

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Deepest nesting accepted anywhere; the outermost value is depth 1.
inline constexpr std::size_t max_depth = 64;

}  // namespace annals::core::json
