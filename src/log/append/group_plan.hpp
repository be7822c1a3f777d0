#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "annals/append.hpp"
#include "annals/result.hpp"
#include "core/placement.hpp"
#include "log/append/append_request.hpp"
#include "log/append/head_cache.hpp"
#include "log/ports/store.hpp"

namespace annals::log {

/// Decides, under the sequence lock, what becomes of each request of a group, and places the events
/// of those that pass. One per write transaction; used on its thread. Steps: `load` once for all
/// requests, `decide` for each in order, `write` once. A conflict of one request leaves the others
/// as they are.
class GroupPlan {
 public:
  /// `state` was read under the lock of `transaction`, one of `store`. Both must outlive the plan.
  GroupPlan(WriteTransaction& transaction, Store& store, const LogState& state, Timestamp now,
            std::chrono::hours idempotency_window);

  /// Reads everything that the requests refer to: heads of streams that `cache` does not hold,
  /// known ids, earlier answers. Without a cache every head is read. Errors are the store's. When
  /// the store has no room, `decide` refuses what would write events; repeats are answered as ever.
  Result<void> load(std::span<const AppendRequest* const> requests, const HeadCache* cache);

  /// The answer of one request if the transaction commits. Duplicates have no receipt yet.
  Result<AppendResult> decide(const AppendRequest& request);

  /// Places an event of the log's own. `load_heads` must have been told its stream.
  AppendedEvent place(const core::Draft& draft);

  /// Reads the heads of streams that are not known here yet.
  Result<void> load_heads(std::span<const std::string> streams, const HeadCache* cache);

  /// Raises permission_version for the events placed from now on.
  void bump_permission_version() noexcept { placer_.bump_permission_version(); }

  /// True when `write` has something to write.
  [[nodiscard]] bool writes() const noexcept { return placed_ > 0 || !answers_.empty(); }

  /// What is to be remembered once the commit has succeeded.
  struct Written {
    LogState state;
    std::vector<StreamHead> heads;
  };

  /// Writes events and answers. The last step; the plan is empty afterwards.
  Result<Written> write();

  /// The state after everything placed here.
  [[nodiscard]] const LogState& state() const noexcept { return placer_.state(); }

 private:
  /// What the store knows of one event of a request.
  using KnownRecords = std::vector<const Record*>;

  Result<void> load_ids(std::span<const AppendRequest* const> requests);
  Result<void> load_references(std::span<const AppendRequest* const> requests);
  Result<void> load_answers(std::span<const AppendRequest* const> requests);

  std::optional<Result<AppendResult>> earlier_answer(const AppendRequest& request) const;
  Result<KnownRecords> find_known(const AppendRequest& request) const;
  std::optional<Error> version_conflict(const AppendRequest& request) const;
  AppendResult place_new(const AppendRequest& request, const KnownRecords& known);
  Result<void> write_memory_of_requests();
  void remember_answer(const AppendRequest& request, const AppendResult& result);

  WriteTransaction& transaction_;
  Store& store_;
  Timestamp now_;
  std::chrono::hours idempotency_window_;
  core::Placer placer_;
  std::size_t placed_ = 0;
  Result<void> room_;  ///< For the events of requests.

  std::unordered_map<Uuid, Record> known_ids_;
  std::map<Digest, Record> known_references_;
  std::map<std::pair<Uuid, std::string>, StoredAnswer> earlier_answers_;
  std::unordered_map<std::uint64_t, Record> answered_records_;

  std::vector<StoredAnswer> answers_;
  std::vector<ClientMessage> client_messages_;
};

/// Whether a log in this state takes events: `frozen`, or `store_unavailable` after a move.
Result<void> check_accepts(const LogState& state);

/// The receipt of a result that has none yet: the log hash after its highest seq.
Result<void> complete_receipt(EventReader& reader, AppendResult& result);

}  // namespace annals::log
