#include "core/canonical.hpp"
#include "core/placement.hpp"

namespace annals::core {

namespace {

bool same_header(const Draft& draft, const Header& stored) {
  const ValidEvent& event = draft.event;
  return draft.key_id == stored.key_id && (!draft.id_given || draft.id == stored.id) &&
         event.type == stored.type && event.schema_version == stored.schema_version &&
         event.source == stored.source && event.stream == stored.stream &&
         (!event.occurred_at || event.occurred_at == stored.occurred_at) &&
         event.scope == stored.scope &&
         (!event.resource_kind_given || event.resource.kind == stored.resource.kind) &&
         event.resource.id == stored.resource.id &&
         event.resource.version == stored.resource.version &&
         (!event.receive_action_given || event.receive_action == stored.receive_action) &&
         event.meta.audience.has_value() == stored.is_private &&
         event.truncated == stored.truncated;
}

bool same_meta(const Draft& draft, const Record& stored) {
  if (!stored.meta && stored.header.meta_digest) return true;  // erased
  const auto meta = meta_of(stored);
  if (!meta) return false;
  const Meta& sent = draft.event.meta;
  return sent.actor == meta->actor && sent.audience == meta->audience &&
         sent.labels == meta->labels && sent.client_msg_id == meta->client_msg_id &&
         (!draft.event.correlation_given || sent.correlation_id == meta->correlation_id) &&
         sent.causation_id == meta->causation_id;
}

}  // namespace

bool same_content(const Draft& draft, const Record& stored) {
  return same_header(draft, stored.header) &&
         (!stored.payload || draft.payload.bytes == stored.payload->bytes) &&
         same_meta(draft, stored);
}

}  // namespace annals::core
