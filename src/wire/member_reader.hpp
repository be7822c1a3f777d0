#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "annals/error.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"
#include "core/json.hpp"

namespace annals::wire {

/// Where a value of an event stands: what a violation about it says. Refers to the list it adds to.
class Place {
 public:
  /// A whole event; `violations` must outlive it.
  Place(std::size_t index, std::vector<Violation>& violations)
      : index_(index),
        violations_(violations) {}

  /// Adds a violation about the value.
  void violate(std::string rule, std::string message) const;

  /// The place of a member of the value.
  [[nodiscard]] Place member(std::string_view name) const;

 private:
  std::size_t index_;
  std::vector<Violation>& violations_;
  std::string pointer_;
};

/// True when the next value has the type; else the violation is noted and the value skipped.
[[nodiscard]] bool expect(core::json::Reader& reader, core::json::Type wanted, const Place& place);

/// Reads a text. Like all below: a value of another type or form is noted as a violation and
/// skipped, and `out` stays as it was.
[[nodiscard]] bool read_text(core::json::Reader& reader, std::string& out, const Place& place);
void read_optional_text(core::json::Reader& reader, std::optional<std::string>& out,
                        const Place& place);

/// The same for a value that is at hand as a text.
void take_uuid(std::string_view text, std::optional<Uuid>& out, const Place& place);
void take_time(std::string_view text, std::optional<Timestamp>& out, const Place& place);

/// Reads a UUID in the 8-4-4-4-12 form.
void read_uuid(core::json::Reader& reader, std::optional<Uuid>& out, const Place& place);

/// Reads a time of RFC 3339.
void read_time(core::json::Reader& reader, std::optional<Timestamp>& out, const Place& place);

/// Reads an object as its text, as sent.
void read_object(core::json::Reader& reader, std::string& out, const Place& place);

/// Notes a member that has no place in an event, and skips it.
void unknown_member(core::json::Reader& reader, const Place& place);

}  // namespace annals::wire
