#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace annals::wire {

/// Appends `text` as a JSON string with its quotes, whatever its bytes are: each byte that is not
/// part of well-formed UTF-8 becomes U+FFFD. For texts that come from outside, such as the names in
/// an error; texts of records are well-formed and go through `core::append_json_string`.
void append_any_string(std::string& out, std::string_view text);

/// Appends `,"name":`; without the comma directly after an opening bracket. `name` needs no
/// escapes.
void append_name(std::string& out, std::string_view name);

/// Appends a member whose value is a text of a record or a constant.
void append_member(std::string& out, std::string_view name, std::string_view value);

/// Appends a member whose value is a number.
void append_member(std::string& out, std::string_view name, std::uint64_t value);

/// Appends `"name":true`.
void append_true(std::string& out, std::string_view name);

/// Appends a number in decimal.
void append_number(std::string& out, std::uint64_t value);

}  // namespace annals::wire
