#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace annals::core::json {

/// The member names of all open objects, to find one that is given twice. Names are compared after
/// unescaping. Small objects are searched name by name; large ones are sorted when they end, which
/// no choice of names can make slower than n log n. Memory is bounded by the names of open objects.
/// Used on one thread; the texts of the names must outlive it.
class KeyStack {
 public:
  /// Where the names of one object begin.
  struct Scope {
    std::size_t keys;
    std::size_t unescaped;
  };

  /// Begins an object inside the current one.
  [[nodiscard]] Scope open();

  /// Adds a name, the inside of a checked string. False: the object has it already.
  [[nodiscard]] bool add(const Scope& scope, std::string_view raw, bool escaped);

  /// Ends the innermost object and forgets its names. Gives the second of two equal names that
  /// `add` did not find, the first such in the text; null when there is none.
  [[nodiscard]] const char* close(const Scope& scope);

 private:
  struct Key {
    const char* raw;        ///< In the text.
    std::size_t size;       ///< Of the name, unescaped.
    std::size_t unescaped;  ///< Where it begins in `unescaped_`, when it has escapes.
    std::uint32_t hash;
    bool escaped;
  };

  [[nodiscard]] std::string_view name(const Key& key) const;

  std::vector<Key> keys_;
  std::string unescaped_;
};

}  // namespace annals::core::json
