#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "annals/digest.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"
#include "core/json.hpp"

namespace annals::wire {

// Reading answers: each function reads the next value into `out` and is false when it is of another
// form. Pure.

[[nodiscard]] bool read_value(core::json::Reader& reader, std::string& out);
[[nodiscard]] bool read_value(core::json::Reader& reader, bool& out);
/// A counter: 0 to 2^53 - 1.
[[nodiscard]] bool read_value(core::json::Reader& reader, std::uint64_t& out);
[[nodiscard]] bool read_value(core::json::Reader& reader, std::uint32_t& out);
[[nodiscard]] bool read_value(core::json::Reader& reader, Uuid& out);
[[nodiscard]] bool read_value(core::json::Reader& reader, Digest& out);
[[nodiscard]] bool read_value(core::json::Reader& reader, Timestamp& out);

template <typename Value>
[[nodiscard]] bool read_value(core::json::Reader& reader, std::optional<Value>& out) {
  Value value{};
  if (!read_value(reader, value)) return false;
  out = std::move(value);
  return true;
}

/// Reads an object. `take(name)` reads the value of a member, or leaves it to be skipped, and is
/// false when the value is not what it has to be.
template <typename Take>
[[nodiscard]] bool read_object(core::json::Reader& reader, Take take) {
  if (!reader.begin_object()) return false;
  std::string name;
  while (reader.next_member(name)) {
    if (!take(name)) return false;
  }
  return !reader.problem();
}

/// Reads an array; `take()` reads the next element.
template <typename Take>
[[nodiscard]] bool read_array(core::json::Reader& reader, Take take) {
  if (!reader.begin_array()) return false;
  while (reader.next_element()) {
    if (!take()) return false;
  }
  return !reader.problem();
}

}  // namespace annals::wire
