#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "annals/error.hpp"
#include "core/payload_schema_node.hpp"

namespace annals::core {

/// A JSON Schema (draft 07), compiled once. Numbers are compared exactly as they are spelled, of
/// any length. Immutable; shared between threads.
///
/// The checking is done here and not by a validator library because payloads come from anybody: the
/// packaged library searches patterns with an engine that recurses for every character (50 KiB of
/// text overflow the stack), divides by a `multipleOf` of 0, rounds numbers to doubles, and puts
/// member names of the payload into its messages.
class PayloadSchema {
 public:
  static constexpr std::size_t max_violations = 100;   ///< Most violations listed for one payload.
  static constexpr std::size_t max_steps = 1'000'000;  ///< Most work spent on one payload.

  /// See `compile_schema`.
  static std::expected<std::shared_ptr<const PayloadSchema>, SchemaFault> compile(
      const JsonValue& schema, const std::string& pointer);

  /// Checks a payload that is valid JSON; appends violations with `index` and pointers below
  /// `/payload`. Messages state the rule as the schema has it, never what the payload has. A
  /// payload that takes more than `max_steps` is a violation, too.
  void check(std::string_view payload, std::size_t index, std::vector<Violation>& violations) const;

 private:
  explicit PayloadSchema(SchemaTree tree);

  SchemaTree tree_;
};

}  // namespace annals::core
