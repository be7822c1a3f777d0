// Whatever the batches, the records are those of single appends, and the chain holds by a
// recomputation that shares no code with the one that made it but the hash function.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "core/canonical.hpp"
#include "core/canonical_oracle_test.hpp"
#include "core/hash.hpp"
#include "core/json.hpp"
#include "core/placement.hpp"
#include "testing/event_gen.hpp"

namespace annals::core {
namespace {

constexpr Timestamp noon{std::chrono::seconds{1'800'000'000}};
constexpr std::uint64_t first_seq = 997;  // a hash mark is among the first numbers

ValidEvent valid_from(const NewEvent& event, const std::string& compact) {
  return {.id = event.id,
          .type = event.type,
          .schema_version = event.schema_version,
          .source = event.source,
          .stream = event.stream,
          .occurred_at = event.occurred_at,
          .scope = event.scope,
          .resource = {event.resource.kind.value_or("event"), event.resource.id,
                       event.resource.version},
          .receive_action = event.receive_action.value_or("read"),
          .truncated = event.truncated,
          .payload = compact,
          .meta = {event.actor, event.audience, event.labels, event.client_msg_id,
                   event.correlation_id, event.causation_id, std::nullopt}};
}

std::vector<Draft> random_drafts(std::uint64_t seed, std::size_t count) {
  test::EventGen events(seed, {.streams = 3, .payload_bytes = 200, .edge_percent = 0});
  std::vector<Draft> drafts;
  for (std::size_t i = 0; i < count; ++i) {
    const NewEvent event = events.event();
    Salt salts[2];
    for (auto& salt : salts) {
      for (auto& byte : salt) {
        byte = static_cast<std::uint8_t>(events.random().bits());
      }
    }
    drafts.push_back(make_draft(valid_from(event, events.compact_payload()),
                                event.id.value_or(events.uuid()), events.uuid(), salts[0],
                                salts[1]));
  }
  return drafts;
}

/// What a store keeps between transactions.
struct Log {
  LogState state;
  std::map<std::string, StreamHead> heads;
  std::vector<Record> records;
  std::vector<HashMark> marks;

  void append(std::span<const Draft> drafts) {
    Placer placer(state, noon);
    for (const Draft& draft : drafts) {
      if (draft.event.stream && !placer.knows(*draft.event.stream)) {
        const auto found = heads.find(*draft.event.stream);
        placer.set_head(*draft.event.stream,
                        found == heads.end() ? std::nullopt : std::optional(found->second));
      }
      placer.place(draft);
    }
    Placement placement = placer.finish();
    RC_ASSERT(placement.before == state);
    state = placement.after;
    for (const StreamHead& head : placement.heads) {
      heads[head.stream] = head;
    }
    records.insert(records.end(), placement.records.begin(), placement.records.end());
    marks.insert(marks.end(), placement.marks.begin(), placement.marks.end());
  }
};

Log new_log() {
  Log log;
  log.state.log_id = Uuid{{1, 2, 3}};
  log.state.event_seq = first_seq - 1;
  log.state.permission_version = 3;
  return log;
}

std::string raw(const auto& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_parts(const Record& record) {
  const Header& header = record.header;
  RC_ASSERT(header.payload_digest == blake3(raw(record.payload->salt) + record.payload->bytes));
  RC_ASSERT(header.meta_digest.has_value() == record.meta.has_value());
  if (!record.meta) return;
  RC_ASSERT(*header.meta_digest == blake3(raw(record.meta->salt) + record.meta->bytes));
  const auto meta = meta_of(record);
  RC_ASSERT(meta.has_value());
  RC_ASSERT(record.meta->bytes == oracle::meta_bytes(*meta));
  RC_ASSERT(header.is_private == meta->audience.has_value());
}

void check_chain(const Log& log) {
  std::map<std::string, StreamHead> heads;
  Digest log_hash{};
  std::uint64_t seq = first_seq;
  for (const Record& record : log.records) {
    const Header& header = record.header;
    RC_ASSERT(header.seq == seq++);
    std::string prefix;
    if (header.stream) {
      StreamHead& head = heads[*header.stream];
      RC_ASSERT(header.stream_seq == head.version + 1);
      RC_ASSERT(record.prev_hash.has_value() == (head.version > 0));
      if (record.prev_hash) {
        RC_ASSERT(*record.prev_hash == head.hash);
        prefix = raw(head.hash);
      }
      head = {*header.stream, head.version + 1, record.row_hash};
    } else {
      RC_ASSERT(!header.stream_seq && !record.prev_hash);
    }
    RC_ASSERT(record.row_hash == blake3(prefix + oracle::header_bytes(header)));
    log_hash = blake3(raw(log_hash) + raw(record.row_hash));
    if (header.seq == 1000) RC_ASSERT(log.marks == (std::vector<HashMark>{{1000, log_hash}}));
    check_parts(record);
  }
  RC_ASSERT(log.state.event_seq == seq - 1);
  RC_ASSERT(log.state.log_hash == log_hash);
  RC_ASSERT(log.heads == heads);
}

RC_GTEST_PROP(PlacementProperty, AnyPartitionEqualsSingleAppends, (std::uint64_t seed)) {
  const auto count = *rc::gen::inRange<std::size_t>(2, 21);
  const std::vector<Draft> drafts = random_drafts(seed, count);

  Log one_by_one = new_log();
  for (const Draft& draft : drafts) {
    one_by_one.append({&draft, 1});
  }
  check_chain(one_by_one);

  Log in_batches = new_log();
  std::span<const Draft> rest(drafts);
  while (!rest.empty()) {
    const auto size = *rc::gen::inRange<std::size_t>(1, rest.size() + 1);
    in_batches.append(rest.first(size));
    rest = rest.subspan(size);
  }
  RC_ASSERT(in_batches.records == one_by_one.records);
  RC_ASSERT(in_batches.state == one_by_one.state);
  RC_ASSERT(in_batches.heads == one_by_one.heads);
  RC_ASSERT(in_batches.marks == one_by_one.marks);
}

RC_GTEST_PROP(PlacementProperty, ARepeatIsTheSameContent, (std::uint64_t seed)) {
  const std::vector<Draft> drafts = random_drafts(seed, 5);
  Log log = new_log();
  log.append(drafts);
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    RC_ASSERT(same_content(drafts[i], log.records[i]));
    RC_ASSERT(!same_content(drafts[i], log.records[(i + 1) % drafts.size()]));
  }
}

RC_GTEST_PROP(CanonicalProperty, ChangedMetaBytesAreNotReadBack, (std::uint64_t seed)) {
  for (const Draft& draft : random_drafts(seed, 3)) {
    if (!draft.meta) continue;
    const auto original = parse_meta(draft.meta->bytes);
    RC_ASSERT(original.has_value());
    RC_ASSERT(*original == draft.event.meta);
    std::string changed = draft.meta->bytes;
    const auto at = *rc::gen::inRange<std::size_t>(0, changed.size());
    changed[at] = *rc::gen::distinctFrom(changed[at]);
    // Either no meta, or another one of which these are the bytes.
    const auto meta = parse_meta(changed);
    if (meta.has_value()) {
      RC_ASSERT(*meta != draft.event.meta);
      RC_ASSERT(oracle::meta_bytes(*meta) == changed);
    }
  }
}

}  // namespace
}  // namespace annals::core
