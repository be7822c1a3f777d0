#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "annals/digest.hpp"
#include "annals/result.hpp"

namespace annals::log {

/// The stream in which the log records what it erased.
inline constexpr std::string_view redactions_stream = "$redactions";

/// The type of a record that says which parts of which events were erased.
inline constexpr std::string_view redacted_type = "log.redacted";

/// Which erasable part.
enum class PartKind : std::uint8_t { payload, meta };

/// One erased part, as a `log.redacted` record names it.
struct RedactionTarget {
  std::uint64_t seq = 0;
  PartKind part = PartKind::payload;
  Digest digest{};  ///< The part's digest, which the header keeps.

  friend bool operator==(const RedactionTarget&, const RedactionTarget&) = default;
};

/// Reads the payload of a `log.redacted` record:
/// `{"targets":[{"seq":N,"part":"payload"|"meta","digest":"<64 hex>"},...],...}`. Other members are
/// left to whoever needs them. Fails with `store_corrupt` when it is something else.
[[nodiscard]] Result<std::vector<RedactionTarget>> parse_redaction(std::string_view payload);

/// A run of numbers without events, both ends included, as the log's own record of a restore or an
/// import names it.
struct SkippedNumbers {
  std::uint64_t from = 0;
  std::uint64_t to = 0;

  friend bool operator==(const SkippedNumbers&, const SkippedNumbers&) = default;
};

/// Reads `{"gaps":[{"from":A,"to":B},...],...}` of such a record; empty when it has no `gaps`.
/// Fails with `store_corrupt` when the member is something else.
[[nodiscard]] Result<std::vector<SkippedNumbers>> parse_gaps(std::string_view payload);

}  // namespace annals::log
