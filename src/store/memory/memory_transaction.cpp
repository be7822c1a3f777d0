#include "store/memory/memory_transaction.hpp"

#include <algorithm>
#include <utility>

#include "store/common/placement_check.hpp"
#include "store/memory/memory_reader.hpp"

namespace annals::store {
namespace {

/// The changed value when there is one, else the committed one.
template <typename Map, typename Changed, typename Key>
std::optional<typename Map::mapped_type> lookup(const Map& committed, const Changed& changed,
                                                const Key& key) {
  if (const auto found = changed.find(key); found != changed.end()) return found->second;
  if (const auto found = committed.find(key); found != committed.end()) return found->second;
  return std::nullopt;
}

/// Marks the first `limit` values recorded before `time` as deleted, the oldest first.
template <typename Map, typename Changed>
void expire(const Map& committed, Changed& changed, Timestamp time, std::size_t limit) {
  std::vector<std::pair<Timestamp, typename Map::key_type>> expired;
  const auto consider = [&](const auto& key, const auto& value) {
    if (value.recorded_at < time) expired.emplace_back(value.recorded_at, key);
  };
  for (const auto& [key, value] : committed) {
    if (!changed.contains(key)) consider(key, value);
  }
  for (const auto& [key, value] : changed) {
    if (value) consider(key, *value);
  }
  std::ranges::sort(expired);
  if (expired.size() > limit) expired.resize(limit);
  for (const auto& [recorded_at, key] : expired)
    changed[key] = std::nullopt;
}

template <typename Map, typename Changed>
void merge(Map& committed, Changed& changed) {
  for (auto& [key, value] : changed) {
    if (value) {
      committed.insert_or_assign(key, std::move(*value));
    } else {
      committed.erase(key);
    }
  }
}

std::unexpected<Error> mismatch(const std::string& what) {
  return fail(ErrorCode::store_corrupt, what + " is not what the placement was made for");
}

}  // namespace

MemoryTransaction::MemoryTransaction(std::shared_ptr<MemoryLog> log, FairGate::Hold hold)
    : log_(std::move(log)),
      hold_(std::move(hold)),
      state_(log_->with([](const MemoryData& data) { return *data.state; })) {}

Result<void> MemoryTransaction::usable() const {
  if (over_) return fail(ErrorCode::internal, "the transaction is over");
  if (failed_) {
    return fail(ErrorCode::internal, "the transaction failed and can only be rolled back");
  }
  return {};
}

Result<LogState> MemoryTransaction::lock_state() {
  if (over_) return fail(ErrorCode::internal, "the transaction is over");
  return state_;
}

std::optional<StreamHead> MemoryTransaction::head(const std::string& stream) const {
  return log_->with(
      [&](const MemoryData& data) { return lookup(data.heads, changes_.heads, stream); });
}

Result<std::vector<std::optional<StreamHead>>> MemoryTransaction::heads(
    std::span<const std::string> streams) {
  if (over_) return fail(ErrorCode::internal, "the transaction is over");
  std::vector<std::optional<StreamHead>> found;
  found.reserve(streams.size());
  for (const auto& stream : streams)
    found.push_back(head(stream));
  return found;
}

std::optional<Record> MemoryTransaction::find_id(const Uuid& id) const {
  const auto own = std::ranges::find(changes_.records, id,
                                     [](const Record& record) { return record.header.id; });
  if (own != changes_.records.end()) return *own;
  return log_->with([&](const MemoryData& data) -> std::optional<Record> {
    const auto found = data.ids.find(id);
    if (found == data.ids.end()) return std::nullopt;
    return data.records.at(found->second);
  });
}

Result<std::vector<std::optional<Record>>> MemoryTransaction::find_ids(std::span<const Uuid> ids) {
  if (over_) return fail(ErrorCode::internal, "the transaction is over");
  std::vector<std::optional<Record>> found;
  found.reserve(ids.size());
  for (const auto& id : ids)
    found.push_back(find_id(id));
  return found;
}

Result<void> MemoryTransaction::append(const core::Placement& placement) {
  if (auto may = usable(); !may) return may;
  auto appended = try_append(placement);
  failed_ = !appended.has_value();
  return appended;
}

Result<void> MemoryTransaction::try_append(const core::Placement& placement) {
  const auto streams = check_placement(placement);
  if (!streams) return std::unexpected(streams.error());
  const auto& before = placement.before;
  if (before.event_seq != state_.event_seq || before.log_hash != state_.log_hash ||
      before.permission_version != state_.permission_version) {
    return mismatch("the state");
  }
  for (const auto& [stream, change] : *streams) {
    const auto stored = head(change.after->stream);
    const auto version = stored ? stored->version : 0;
    const auto hash = stored ? std::optional(stored->hash) : std::nullopt;
    if (version != change.before || hash != change.before_hash) return mismatch("a head");
  }
  std::map<Uuid, bool> seen;
  for (const auto& record : placement.records) {
    if (find_id(record.header.id) || !seen.emplace(record.header.id, true).second) {
      return fail(ErrorCode::store_corrupt, "the id of a new event is taken");
    }
  }
  changes_.records.insert(changes_.records.end(), placement.records.begin(),
                          placement.records.end());
  for (const auto& head : placement.heads)
    changes_.heads.insert_or_assign(head.stream, head);
  changes_.marks.insert(changes_.marks.end(), placement.marks.begin(), placement.marks.end());
  state_.event_seq = placement.after.event_seq;
  state_.log_hash = placement.after.log_hash;
  state_.permission_version = placement.after.permission_version;
  state_.last_recorded_at = placement.after.last_recorded_at;
  return {};
}

void MemoryTransaction::apply(MemoryData& data, Changes changes) {
  for (auto& record : changes.records) {
    const auto seq = record.header.seq;
    data.ids.emplace(record.header.id, seq);
    if (record.header.stream) {
      data.stream_seqs.emplace(std::pair(*record.header.stream, *record.header.stream_seq), seq);
    }
    data.records.emplace(seq, std::move(record));
  }
  for (auto& [stream, head] : changes.heads)
    data.heads.insert_or_assign(stream, std::move(head));
  for (const auto& mark : changes.marks)
    data.marks.emplace(mark.seq, mark.log_hash);
  for (auto& [key_id, key] : changes.keys)
    data.keys.insert_or_assign(key_id, std::move(key));
  if (changes.catalogue) data.catalogue = std::move(*changes.catalogue);
  merge(data.answers, changes.answers);
  merge(data.client_messages, changes.client_messages);
}

Result<void> MemoryTransaction::commit() {
  if (auto may = usable(); !may) return may;
  over_ = true;
  const bool grown = !changes_.records.empty();
  log_->with([&](MemoryData& data) {
    data.state = state_;
    if (changes_.frozen) data.state->frozen = *changes_.frozen;
    apply(data, std::move(changes_));
  });
  if (grown) log_->signal().notify(state_.event_seq);
  hold_.release();
  return {};
}

void MemoryTransaction::rollback() noexcept {
  over_ = true;
  hold_.release();
}

Result<std::vector<log::StoredKey>> MemoryTransaction::keys() {
  if (over_) return fail(ErrorCode::internal, "the transaction is over");
  auto keys = log_->with([](const MemoryData& data) { return data.keys; });
  for (const auto& [key_id, key] : changes_.keys)
    keys.insert_or_assign(key_id, key);
  return sorted_keys(keys);
}

Result<void> MemoryTransaction::put_key(const log::StoredKey& key) {
  if (auto may = usable(); !may) return may;
  if (key.key.key_id == state_.local_key_id) {
    failed_ = true;
    return fail(ErrorCode::internal, "the reserved key does not change");
  }
  changes_.keys.insert_or_assign(key.key.key_id, key);
  return {};
}

Result<log::StoredCatalogue> MemoryTransaction::catalogue() {
  if (over_) return fail(ErrorCode::internal, "the transaction is over");
  if (changes_.catalogue) return *changes_.catalogue;
  return log_->with([](const MemoryData& data) { return data.catalogue; });
}

Result<void> MemoryTransaction::put_catalogue(const log::StoredCatalogue& catalogue) {
  if (auto may = usable(); !may) return may;
  changes_.catalogue = catalogue;
  return {};
}

Result<void> MemoryTransaction::set_frozen(bool frozen) {
  if (auto may = usable(); !may) return may;
  changes_.frozen = frozen;
  return {};
}

Result<std::optional<log::StoredAnswer>> MemoryTransaction::answer(
    const Uuid& key_id, std::string_view idempotency_key) {
  if (over_) return fail(ErrorCode::internal, "the transaction is over");
  const std::pair key(key_id, std::string(idempotency_key));
  return log_->with(
      [&](const MemoryData& data) { return lookup(data.answers, changes_.answers, key); });
}

Result<void> MemoryTransaction::put_answer(const log::StoredAnswer& answer) {
  if (auto may = usable(); !may) return may;
  changes_.answers.insert_or_assign(std::pair(answer.key_id, answer.idempotency_key), answer);
  return {};
}

Result<std::optional<log::ClientMessage>> MemoryTransaction::client_message(const Digest& digest) {
  if (over_) return fail(ErrorCode::internal, "the transaction is over");
  return log_->with([&](const MemoryData& data) {
    return lookup(data.client_messages, changes_.client_messages, digest);
  });
}

Result<void> MemoryTransaction::put_client_message(const log::ClientMessage& message) {
  if (auto may = usable(); !may) return may;
  changes_.client_messages.insert_or_assign(message.digest, message);
  return {};
}

Result<void> MemoryTransaction::expire_requests(Timestamp time, std::size_t limit) {
  if (auto may = usable(); !may) return may;
  log_->with([&](const MemoryData& data) {
    expire(data.answers, changes_.answers, time, limit);
    expire(data.client_messages, changes_.client_messages, time, limit);
  });
  return {};
}

}  // namespace annals::store
