#pragma once

#include <cstdint>
#include <string>

#include "annals/record.hpp"
#include "annals/result.hpp"

namespace annals::wire {

/// Who an envelope is for, as far as its members depend on it.
enum class Rendering : std::uint8_t {
  reader,      ///< Without `trace_context`.
  privileged,  ///< For agents and administrators: with `trace_context`.
};

/// Appends the envelope of a record: the one rendering of events on every transport, a JSON object
/// on one line. Absent members are left out and nothing is ever null; the payload's bytes are the
/// stored ones. Fails with `store_corrupt`, and leaves `out` as it was, when the meta part cannot
/// be read. Pure.
[[nodiscard]] Result<void> append_envelope(std::string& out, const Record& record,
                                           Rendering rendering);

/// True when both renderings of the record are the same bytes. Cheap, and on the safe side: may be
/// false although they are.
[[nodiscard]] bool same_for_all(const Record& record) noexcept;

}  // namespace annals::wire
