#pragma once

#include <cstdint>

#include "annals/record.hpp"
#include "annals/time.hpp"
#include "annals/uuid.hpp"
#include "core/canonical.hpp"
#include "core/hash.hpp"

namespace annals::wire {

/// An id that is told by its last byte.
inline Uuid uuid(std::uint8_t last) {
  Uuid id;
  id.bytes[0] = 1;
  id.bytes[15] = last;
  return id;
}

/// A record with nothing that need not be there.
inline Record minimal() {
  Record record;
  record.header.log_id = uuid(1);
  record.header.seq = 7;
  record.header.id = uuid(2);
  record.header.type = "a.b";
  record.header.occurred_at = *parse_timestamp("2026-01-02T03:04:05.000006Z");
  record.header.recorded_at = *parse_timestamp("2026-01-02T03:04:06Z");
  record.header.resource.kind = "event";
  record.header.receive_action = "read";
  record.payload = Part{"{}", {}};
  return record;
}

/// Gives a record its meta part.
inline void set_meta(Record& record, const Meta& meta) {
  record.meta = Part{core::meta_bytes(meta), {}};
  record.header.meta_digest = core::part_digest(record.meta->salt, record.meta->bytes);
}

}  // namespace annals::wire
