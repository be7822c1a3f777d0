#pragma once

#include <span>
#include <string>

#include "config/configuration.hpp"

namespace annals::config {

/// A configuration file that says what holds anyway: every key with its default, its sentence and
/// what it accepts. `load` reads it back to the same settings.
[[nodiscard]] std::string default_file(std::span<const Key> keys = schema());

/// What is in force as TOML, with the origin of every value in a comment. Secrets are `"***"`.
[[nodiscard]] std::string effective_toml(const Configuration& configuration);

/// What is in force as one JSON object: key to `{"value":...,"origin":...}`. Durations and sizes
/// are texts with their unit.
[[nodiscard]] std::string effective_json(const Configuration& configuration);

/// The reference page, `docs/configuration.md`.
[[nodiscard]] std::string markdown(std::span<const Key> keys = schema());

}  // namespace annals::config
