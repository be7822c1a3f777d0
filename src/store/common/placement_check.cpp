#include "store/common/placement_check.hpp"

#include <string>

namespace annals::store {
namespace {

std::unexpected<Error> contradiction(std::uint64_t seq, std::string_view what) {
  return fail(ErrorCode::internal, "placement contradicts itself at seq " + std::to_string(seq) +
                                       ": " + std::string(what));
}

/// Everything that an append does not advance must be as it was.
bool keeps_the_rest(const LogState& before, const LogState& after) {
  auto expected = before;
  expected.event_seq = after.event_seq;
  expected.permission_version = after.permission_version;
  expected.last_recorded_at = after.last_recorded_at;
  expected.log_hash = after.log_hash;
  return expected == after && after.permission_version >= before.permission_version &&
         after.last_recorded_at >= before.last_recorded_at;
}

bool parts_fit(const Record& record) {
  if (record.header.meta_digest.has_value() || !record.meta.has_value()) {
    const bool erased = !record.payload || (record.header.meta_digest && !record.meta);
    return erased == record.redacted();
  }
  return false;
}

}  // namespace

Result<StreamChanges> check_placement(const core::Placement& placement) {
  const auto& before = placement.before;
  const auto& after = placement.after;
  if (after.event_seq != before.event_seq + placement.records.size() || after.event_seq > max_seq) {
    return contradiction(after.event_seq, "the number of records is not the advance of the state");
  }
  if (!keeps_the_rest(before, after)) {
    return contradiction(after.event_seq, "the state changes beyond an append");
  }

  StreamChanges changes;
  for (const auto& head : placement.heads) {
    if (!changes.emplace(head.stream, StreamChange{0, std::nullopt, &head}).second) {
      return contradiction(after.event_seq, "two heads of one stream");
    }
  }
  std::map<std::string_view, const Record*> last;
  auto seq = before.event_seq;
  for (const auto& record : placement.records) {
    const auto& header = record.header;
    if (header.seq != ++seq) return contradiction(header.seq, "not the next number");
    if (header.log_id != before.log_id) return contradiction(seq, "another log");
    if (!parts_fit(record)) return contradiction(seq, "a part without its digest");
    if (header.stream.has_value() != header.stream_seq.has_value()) {
      return contradiction(seq, "stream and stream_seq do not belong together");
    }
    if (!header.stream) {
      if (record.prev_hash) return contradiction(seq, "an unchained event with a previous hash");
      continue;
    }
    const auto change = changes.find(*header.stream);
    if (change == changes.end()) return contradiction(seq, "its stream has no new head");
    const auto [previous, first] = last.emplace(*header.stream, &record);
    if (first) {
      if (*header.stream_seq == 0 || (*header.stream_seq > 1) != record.prev_hash.has_value()) {
        return contradiction(seq, "stream_seq and previous hash do not belong together");
      }
      change->second.before = *header.stream_seq - 1;
      change->second.before_hash = record.prev_hash;
      continue;
    }
    if (*header.stream_seq != *previous->second->header.stream_seq + 1 ||
        record.prev_hash != previous->second->row_hash) {
      return contradiction(seq, "does not continue its stream");
    }
    previous->second = &record;
  }
  for (const auto& [stream, change] : changes) {
    const auto record = last.find(stream);
    if (record == last.end() || change.after->version != record->second->header.stream_seq ||
        change.after->hash != record->second->row_hash) {
      return contradiction(after.event_seq, "a head is not its stream's last record");
    }
  }
  return changes;
}

}  // namespace annals::store
