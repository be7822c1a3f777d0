#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/schema.hpp"
#include "config/settings.hpp"
#include "config/value.hpp"

namespace annals::config {

/// A key set outside the file: by `--set key=value` or by a flag of its own.
struct Assignment {
  std::string key;
  std::string value;
  std::string flag;  ///< The flag as typed, for messages: `--store`.
};

/// Everything that is looked at, in this order; later wins.
struct Sources {
  /// Given with `--config`: has to exist. Absent: `default_file`, if it is there.
  std::optional<std::filesystem::path> file;
  std::filesystem::path default_file = "annals.toml";
  /// Names and values. Names that do not begin with `ANNALS_` are not looked at, nor are those with
  /// that beginning that name no section.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<Assignment> flags;
};

/// Where a value came from.
struct Origin {
  enum class Kind : std::uint8_t { fallback, file, environment, flag };
  Kind kind = Kind::fallback;
  std::string text = "default";  ///< `default`, `annals.toml:3`, `ANNALS_STORE`, `--set`.

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// One effective value.
struct Entry {
  const Key* key = nullptr;  ///< Valid as long as the schema it was loaded with.
  Value value;
  Origin origin;
};

/// Why the configuration cannot be used. Values are not repeated: one may be a secret.
struct Problem {
  std::string where;    ///< `annals.toml:3`, `ANNALS_SERVER_LISTEN`, `--set`.
  std::string key;      ///< Empty when it concerns the whole source.
  std::string message;  ///< What is expected.

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// `where: key: message`.
[[nodiscard]] std::string to_string(const Problem& problem);

/// What is in force, typed and by key. Plain value.
struct Configuration {
  Settings settings;
  std::vector<Entry> entries;  ///< One per key, in the order of the schema.
};

/// Reads all sources. Fails with every problem there is, in the order of the sources, so that a
/// person corrects a file once.
[[nodiscard]] std::expected<Configuration, std::vector<Problem>> load(
    const Sources& sources, std::span<const Key> keys = schema());

/// The variables of this process.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> process_environment();

}  // namespace annals::config
