#include "log/append/group_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/hash.hpp"
#include "core/personal_data.hpp"
#include "log/receipt_at.hpp"

namespace annals::log {

namespace {

constexpr int status_created = 201;
constexpr int status_repeated = 200;
constexpr std::chrono::milliseconds frozen_retry_after{5000};

/// Names a client_msg_id of one key without keeping its text.
Digest reference_digest(const Uuid& key_id, const std::string& client_msg_id) {
  std::string bytes(reinterpret_cast<const char*>(key_id.bytes.data()), key_id.bytes.size());
  bytes += client_msg_id;
  return core::blake3(bytes);
}

/// Tells the producer, with every answer, what could never be erased.
std::vector<Warning> warnings_of(const core::ValidEvent& event) {
  std::vector<Warning> warnings;
  for (std::string& pointer :
       core::personal_header_members(event.source, event.stream, event.scope, event.resource)) {
    warnings.push_back({std::move(pointer), "personal_data",
                        "looks like a mail address, and the header is never erased"});
  }
  return warnings;
}

AppendedEvent duplicate_of(const Record& record, const core::Draft& draft) {
  return {record.header.seq,
          record.header.id,
          record.header.stream_seq,
          record.row_hash,
          true,
          record.redacted(),
          draft.event.meta.client_msg_id,
          warnings_of(draft.event)};
}

std::uint64_t highest_seq(const AppendResult& result) {
  std::uint64_t highest = 0;
  for (const AppendedEvent& event : result.events)
    highest = std::max(highest, event.seq);
  return highest;
}

bool expects_something(const AppendRequest& request) {
  return std::ranges::any_of(request.expected_versions, [](const auto& entry) {
    return entry.second.kind != ExpectedVersion::Kind::any;
  });
}

bool holds(const ExpectedVersion& expected, std::uint64_t actual) {
  switch (expected.kind) {
    case ExpectedVersion::Kind::any:
      return true;
    case ExpectedVersion::Kind::none:
      return actual == 0;
    case ExpectedVersion::Kind::exists:
      return actual > 0;
    case ExpectedVersion::Kind::exactly:
      return actual == expected.version;
  }
  return false;
}

}  // namespace

GroupPlan::GroupPlan(WriteTransaction& transaction, Store& store, const LogState& state,
                     Timestamp now, std::chrono::hours idempotency_window)
    : transaction_(transaction),
      store_(store),
      now_(now),
      idempotency_window_(idempotency_window),
      placer_(state, now) {}

Result<void> GroupPlan::load(std::span<const AppendRequest* const> requests,
                             const HeadCache* cache) {
  room_ = store_.check_room();
  std::vector<std::string> streams;
  for (const AppendRequest* request : requests) {
    for (const core::Draft& draft : request->drafts) {
      if (draft.event.stream) streams.push_back(*draft.event.stream);
    }
    for (const auto& [stream, expected] : request->expected_versions)
      streams.push_back(stream);
  }
  if (auto loaded = load_heads(streams, cache); !loaded) return loaded;
  if (auto loaded = load_ids(requests); !loaded) return loaded;
  if (auto loaded = load_references(requests); !loaded) return loaded;
  return load_answers(requests);
}

Result<void> GroupPlan::load_heads(std::span<const std::string> streams, const HeadCache* cache) {
  std::vector<std::string> missing;
  std::set<std::string_view> asked;
  for (const std::string& stream : streams) {
    if (placer_.knows(stream) || !asked.insert(stream).second) continue;
    if (auto cached = cache != nullptr ? cache->find(stream) : std::nullopt) {
      placer_.set_head(stream, std::move(cached));
    } else {
      missing.push_back(stream);
    }
  }
  if (missing.empty()) return {};
  auto heads = transaction_.heads(missing);
  if (!heads) return std::unexpected(std::move(heads).error());
  for (std::size_t i = 0; i < missing.size(); ++i) {
    placer_.set_head(missing[i], std::move((*heads)[i]));
  }
  return {};
}

Result<void> GroupPlan::load_ids(std::span<const AppendRequest* const> requests) {
  std::vector<Uuid> ids;
  for (const AppendRequest* request : requests) {
    for (const core::Draft& draft : request->drafts) {
      if (draft.id_given) ids.push_back(draft.id);
    }
  }
  if (ids.empty()) return {};
  auto records = transaction_.find_ids(ids);
  if (!records) return std::unexpected(std::move(records).error());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (auto& record = (*records)[i]) known_ids_.emplace(ids[i], *std::move(record));
  }
  return {};
}

Result<void> GroupPlan::load_references(std::span<const AppendRequest* const> requests) {
  for (const AppendRequest* request : requests) {
    for (const core::Draft& draft : request->drafts) {
      const auto& reference = draft.event.meta.client_msg_id;
      if (!reference) continue;
      const Digest digest = reference_digest(request->key_id, *reference);
      auto message = transaction_.admin().client_message(digest);
      if (!message) return std::unexpected(std::move(message).error());
      if (!*message || (*message)->recorded_at < now_ - idempotency_window_) continue;
      auto record = store_.events().find((*message)->seq);
      if (!record) return std::unexpected(std::move(record).error());
      if (*record) known_references_.emplace(digest, **std::move(record));
    }
  }
  return {};
}

Result<void> GroupPlan::load_answers(std::span<const AppendRequest* const> requests) {
  for (const AppendRequest* request : requests) {
    if (!request->idempotency_key) continue;
    auto answer = transaction_.admin().answer(request->key_id, *request->idempotency_key);
    if (!answer) return std::unexpected(std::move(answer).error());
    if (!*answer || (*answer)->recorded_at < now_ - idempotency_window_) continue;
    for (const std::uint64_t seq : (*answer)->seqs) {
      auto record = store_.events().find(seq);
      if (!record) return std::unexpected(std::move(record).error());
      if (*record) answered_records_.emplace(seq, **std::move(record));
    }
    earlier_answers_.emplace(std::pair{request->key_id, *request->idempotency_key},
                             **std::move(answer));
  }
  return {};
}

std::optional<Result<AppendResult>> GroupPlan::earlier_answer(const AppendRequest& request) const {
  if (!request.idempotency_key) return std::nullopt;
  const auto found = earlier_answers_.find({request.key_id, *request.idempotency_key});
  if (found == earlier_answers_.end()) return std::nullopt;
  const StoredAnswer& answer = found->second;
  if (answer.request_hash != request.request_hash || answer.seqs.size() != request.drafts.size()) {
    return fail(ErrorCode::idempotency_mismatch,
                "another request was made under this idempotency key");
  }
  AppendResult result;
  result.duplicate = answer.status == status_repeated;
  for (std::size_t i = 0; i < answer.seqs.size(); ++i) {
    const auto record = answered_records_.find(answer.seqs[i]);
    if (record == answered_records_.end()) {
      return fail(ErrorCode::not_found, "the events of the first answer are no longer kept");
    }
    result.events.push_back(duplicate_of(record->second, request.drafts[i]));
    result.events.back().duplicate = result.duplicate;
  }
  return result;
}

Result<GroupPlan::KnownRecords> GroupPlan::find_known(const AppendRequest& request) const {
  KnownRecords known(request.drafts.size(), nullptr);
  KnownEvents conflicts;
  ErrorCode code = ErrorCode::id_conflict;
  for (std::size_t i = 0; i < request.drafts.size(); ++i) {
    const core::Draft& draft = request.drafts[i];
    const auto by_id = draft.id_given ? known_ids_.find(draft.id) : known_ids_.end();
    if (by_id != known_ids_.end()) {
      known[i] = &by_id->second;
    } else if (const auto& reference = draft.event.meta.client_msg_id) {
      const auto by_reference =
          known_references_.find(reference_digest(request.key_id, *reference));
      if (by_reference == known_references_.end()) continue;
      known[i] = &by_reference->second;
    } else {
      continue;
    }
    const Record& record = *known[i];
    const bool own = record.header.key_id == request.key_id;
    const bool same_id = !draft.id_given || record.header.id == draft.id;
    if (own && same_id && core::same_content(draft, record)) continue;
    if (by_id == known_ids_.end() && conflicts.events.empty()) {
      code = ErrorCode::client_msg_id_conflict;
    }
    conflicts.events.push_back({i, draft.id, own ? record.header.seq : 0});
  }
  if (conflicts.events.empty()) return known;
  std::string detail = code == ErrorCode::id_conflict
                           ? "the id is known with other content or from another key"
                           : "the client_msg_id was used for another event";
  return std::unexpected(Error{code, std::move(detail), std::move(conflicts), {}});
}

std::optional<Error> GroupPlan::version_conflict(const AppendRequest& request) const {
  VersionConflict conflict;
  for (const auto& [stream, expected] : request.expected_versions) {
    const auto head = placer_.head(stream);
    if (holds(expected, head ? head->version : 0)) continue;
    conflict.streams.push_back(
        {stream, head ? head->version : 0, head ? std::optional(head->hash) : std::nullopt});
  }
  if (conflict.streams.empty()) return std::nullopt;
  return Error{ErrorCode::version_conflict,
               "a stream is not at the expected version",
               std::move(conflict),
               {}};
}

AppendedEvent GroupPlan::place(const core::Draft& draft) {
  const Record& record = placer_.place(draft);
  ++placed_;
  if (const auto& reference = draft.event.meta.client_msg_id) {
    client_messages_.push_back(
        {reference_digest(draft.key_id, *reference), record.header.seq, record.header.recorded_at});
  }
  return {record.header.seq,
          record.header.id,
          record.header.stream_seq,
          record.row_hash,
          false,
          false,
          draft.event.meta.client_msg_id,
          warnings_of(draft.event)};
}

AppendResult GroupPlan::place_new(const AppendRequest& request, const KnownRecords& known) {
  AppendResult result;
  result.events.reserve(request.drafts.size());
  for (std::size_t i = 0; i < request.drafts.size(); ++i) {
    const core::Draft& draft = request.drafts[i];
    result.events.push_back(known[i] != nullptr ? duplicate_of(*known[i], draft) : place(draft));
  }
  result.duplicate = std::ranges::all_of(result.events, &AppendedEvent::duplicate);
  if (!result.duplicate) result.receipt = {state().event_seq, state().log_hash};
  return result;
}

void GroupPlan::remember_answer(const AppendRequest& request, const AppendResult& result) {
  if (!request.idempotency_key) return;
  StoredAnswer answer{request.key_id,
                      *request.idempotency_key,
                      request.request_hash,
                      result.duplicate ? status_repeated : status_created,
                      {},
                      now_};
  answer.seqs.reserve(result.events.size());
  for (const AppendedEvent& event : result.events)
    answer.seqs.push_back(event.seq);
  answers_.push_back(std::move(answer));
}

Result<AppendResult> GroupPlan::decide(const AppendRequest& request) {
  if (auto answer = earlier_answer(request)) return *std::move(answer);
  auto known = find_known(request);
  if (!known) return std::unexpected(std::move(known).error());
  const auto known_count = static_cast<std::size_t>(
      std::ranges::count_if(*known, [](const Record* record) { return record != nullptr; }));
  if (known_count > 0 && known_count < request.drafts.size() && expects_something(request)) {
    KnownEvents details;
    for (std::size_t i = 0; i < known->size(); ++i) {
      if ((*known)[i] != nullptr) {
        details.events.push_back({i, request.drafts[i].id, (*known)[i]->header.seq});
      }
    }
    return std::unexpected(Error{ErrorCode::partly_known,
                                 "some events of the request are known already",
                                 std::move(details),
                                 {}});
  }
  if (known_count < request.drafts.size()) {
    if (auto conflict = version_conflict(request)) return std::unexpected(*std::move(conflict));
    if (!room_) return std::unexpected(room_.error());
  }
  AppendResult result = place_new(request, *known);
  remember_answer(request, result);
  return result;
}

Result<void> GroupPlan::write_memory_of_requests() {
  const std::size_t added = answers_.size() + client_messages_.size();
  if (added == 0) return {};
  AdminWriter& admin = transaction_.admin();
  // Two go for each one that comes: the tables stay within the window without a job of their own.
  if (auto expired = admin.expire_requests(now_ - idempotency_window_, 2 * added); !expired) {
    return expired;
  }
  for (const StoredAnswer& answer : answers_) {
    if (auto put = admin.put_answer(answer); !put) return put;
  }
  for (const ClientMessage& message : client_messages_) {
    if (auto put = admin.put_client_message(message); !put) return put;
  }
  return {};
}

Result<GroupPlan::Written> GroupPlan::write() {
  if (auto written = write_memory_of_requests(); !written) {
    return std::unexpected(std::move(written).error());
  }
  if (placed_ == 0) return Written{placer_.state(), {}};
  core::Placement placement = placer_.finish();
  if (auto appended = transaction_.append(placement); !appended) {
    return std::unexpected(std::move(appended).error());
  }
  return Written{std::move(placement.after), std::move(placement.heads)};
}

Result<void> check_accepts(const LogState& state) {
  if (!state.moved_to.empty()) {
    return fail(ErrorCode::store_unavailable, "this log was moved and takes no more events");
  }
  if (state.frozen) {
    return std::unexpected(
        Error{ErrorCode::frozen, "appends are stopped for a while", {}, frozen_retry_after});
  }
  return {};
}

Result<void> complete_receipt(EventReader& reader, AppendResult& result) {
  if (result.receipt.head != 0 || result.events.empty() || !result.durable) return {};
  auto receipt = receipt_at(reader, highest_seq(result));
  if (!receipt) return std::unexpected(std::move(receipt).error());
  result.receipt = *receipt;
  return {};
}

}  // namespace annals::log
