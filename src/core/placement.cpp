#include "core/placement.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/canonical.hpp"
#include "core/hash.hpp"

namespace annals::core {

Draft make_draft(ValidEvent event, Uuid id, Uuid key_id, const Salt& payload_salt,
                 const Salt& meta_salt) {
  Draft draft;
  draft.id = id;
  draft.id_given = event.id.has_value();
  draft.key_id = key_id;
  draft.payload = {std::move(event.payload), payload_salt};
  draft.payload_digest = part_digest(payload_salt, draft.payload.bytes);
  if (!event.meta.empty()) {
    draft.meta = {meta_bytes(event.meta), meta_salt};
    draft.meta_digest = part_digest(meta_salt, draft.meta->bytes);
  }
  event.payload.clear();
  draft.event = std::move(event);
  return draft;
}

Placer::Placer(LogState state, Timestamp now)
    : recorded_at_(std::max(state.last_recorded_at, now)) {
  placement_.before = state;
  placement_.after = std::move(state);
}

void Placer::set_head(const std::string& stream, std::optional<StreamHead> head) {
  Chain& chain = chains_[stream];
  assert(!chain.touched);
  chain.head = std::move(head);
}

bool Placer::knows(const std::string& stream) const {
  return chains_.contains(stream);
}

std::optional<StreamHead> Placer::head(const std::string& stream) const {
  const auto found = chains_.find(stream);
  return found == chains_.end() ? std::nullopt : found->second.head;
}

const Record& Placer::place(const Draft& draft) {
  LogState& state = placement_.after;
  assert(state.event_seq < max_seq);
  assert(state.permission_version <= max_seq);

  Record& record = placement_.records.emplace_back();
  Header& header = record.header;
  header.log_id = state.log_id;
  header.seq = state.event_seq + 1;
  header.id = draft.id;
  header.type = draft.event.type;
  header.schema_version = draft.event.schema_version;
  header.source = draft.event.source;
  header.occurred_at = draft.event.occurred_at.value_or(recorded_at_);
  header.recorded_at = recorded_at_;
  header.scope = draft.event.scope;
  header.resource = draft.event.resource;
  header.receive_action = draft.event.receive_action;
  header.permission_version = state.permission_version;
  header.key_id = draft.key_id;
  header.is_private = draft.event.meta.audience.has_value();
  header.truncated = draft.event.truncated;
  header.payload_digest = draft.payload_digest;
  header.meta_digest = draft.meta_digest;
  record.payload = draft.payload;
  record.meta = draft.meta;

  buffer_.clear();
  if (draft.event.stream) {
    link(record, *draft.event.stream);
  } else {
    append_header_bytes(buffer_, header);
    record.row_hash = blake3(buffer_);
  }

  state.event_seq = header.seq;
  state.last_recorded_at = recorded_at_;
  state.log_hash = next_log_hash(state.log_hash, record.row_hash);
  if (header.seq % hash_mark_interval == 0) {
    placement_.marks.push_back({header.seq, state.log_hash});
  }
  return record;
}

void Placer::link(Record& record, const std::string& stream) {
  Chain& chain = chains_.at(stream);
  chain.touched = true;
  if (chain.head) {
    assert(chain.head->version < max_seq);
    record.prev_hash = chain.head->hash;
    buffer_.append(reinterpret_cast<const char*>(chain.head->hash.data()), chain.head->hash.size());
  } else {
    chain.head = StreamHead{stream, 0, {}};
  }
  StreamHead& head = *chain.head;
  ++head.version;
  record.header.stream = stream;
  record.header.stream_seq = head.version;
  append_header_bytes(buffer_, record.header);
  record.row_hash = blake3(buffer_);
  head.hash = record.row_hash;
}

void Placer::bump_permission_version() noexcept {
  ++placement_.after.permission_version;
}

Placement Placer::finish() {
  for (auto& [stream, chain] : chains_) {
    if (chain.touched) placement_.heads.push_back(std::move(*chain.head));
  }
  chains_.clear();
  return std::exchange(placement_, {});
}

}  // namespace annals::core
