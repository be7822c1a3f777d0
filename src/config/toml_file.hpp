#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "config/configuration.hpp"

namespace annals::config {

/// How a value stands in a file.
enum class Written : std::uint8_t {
  text,
  integer,
  flag,
  empty_section,  ///< A table without keys.
  other,          ///< A float, date, array or negative number: no key takes one.
};

/// One value of a file, under its full name.
struct FileValue {
  std::string name;  ///< `section.key`.
  std::string text;  ///< As it would be written outside a file; empty for the last two forms.
  Written written = Written::text;
  std::uint32_t line = 0;  ///< From 1.
};

/// Reads a TOML file: its values by line. A syntax error or an unreadable file is one problem with
/// its place.
[[nodiscard]] std::expected<std::vector<FileValue>, Problem> read_toml(
    const std::filesystem::path& file);

}  // namespace annals::config
