#pragma once

#include <string>
#include <string_view>

#include "annals/record.hpp"

namespace annals::core {

/// Appends the canonical header bytes of record version 1 (see docs/format.md): the exact bytes
/// that the chain hashes. Frozen; golden files fix every byte.
void append_header_bytes(std::string& out, const Header& header);

/// The canonical header bytes.
[[nodiscard]] std::string header_bytes(const Header& header);

/// The canonical meta bytes; empty when meta is empty.
[[nodiscard]] std::string meta_bytes(const Meta& meta);

/// Reads canonical meta bytes. Fails with `store_corrupt` for anything that `meta_bytes` would not
/// have written.
[[nodiscard]] Result<Meta> parse_meta(std::string_view bytes);

/// Appends `text` as a canonical JSON string with its quotes: escapes only `"`, `\` and controls.
void append_json_string(std::string& out, std::string_view text);

}  // namespace annals::core
