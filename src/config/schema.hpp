#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "config/value.hpp"

namespace annals::config {

/// How a key is written.
enum class Type : std::uint8_t { text, choice, integer, duration, size, flag };

/// One key of the configuration: its name, what it accepts and where it is kept. Immutable.
struct Key {
  std::string name;  ///< `section.key`, or `key` for the few without a section.
  Type type = Type::text;
  std::string doc;  ///< One sentence for the reference page and `annals config --default`.

  std::uint64_t min = 0;  ///< integer, duration (ms), size (bytes): smallest and largest value.
  std::uint64_t max = 0;
  std::uint64_t step = 1;            ///< integer, duration (ms), size: a multiple of it.
  std::vector<std::string> choices;  ///< choice: the words.
  std::string shape;                 ///< text: what is expected, for people.
  std::function<bool(const std::string&)> accepts;  ///< text: empty = everything.

  bool secret = false;  ///< Never shown; `<name>_file` is accepted too and names a file with it.

  std::function<Value(const Settings&)> get;
  std::function<void(Settings&, const Value&)> set;

  /// The part before the first dot; empty without one.
  [[nodiscard]] std::string_view section() const noexcept;

  /// The environment variable that sets it: `ANNALS_SERVER_LISTEN`.
  [[nodiscard]] std::string environment_name() const;

  /// What a value has to be: `a duration with a unit (ms, s, m, h, d) from 1ms to 1h, such as
  /// "5s"`.
  [[nodiscard]] std::string expected() const;

  /// The value written as `text` outside a file (environment, flag); `nullopt` when it is malformed
  /// or out of bounds.
  [[nodiscard]] std::optional<Value> parse(const std::string& text) const;
};

/// Every key there is, in the order of the reference page. Made once, never changes.
[[nodiscard]] const std::vector<Key>& schema();

/// The key of that name, or null.
[[nodiscard]] const Key* find_key(std::span<const Key> keys, std::string_view name) noexcept;

/// The name most like `name` when one is near enough to be a misspelling, else empty.
[[nodiscard]] std::string nearest_name(std::span<const Key> keys, std::string_view name);

/// A rule about several keys together.
struct CrossRule {
  std::string key;       ///< The key that is named as the culprit.
  std::string expected;  ///< What has to hold.
  std::function<bool(const Settings&)> holds;
};

[[nodiscard]] const std::vector<CrossRule>& cross_rules();

}  // namespace annals::config
