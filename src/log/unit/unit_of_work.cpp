#include "annals/unit_of_work.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "log/append/commit_outcome.hpp"
#include "log/append/group_plan.hpp"
#include "log/unit/unit_of_work_impl.hpp"

namespace annals {

namespace {

/// Audit hooks run under the sequence lock and may only add rows to their own tables. Which tables
/// those are is the store's check; that it is a plain insert is checked here.
bool is_plain_insert(std::string_view sql) {
  std::string words;
  for (const char c : sql) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (space && (words.empty() || words.back() == ' ')) continue;
    words += space ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words.starts_with("insert into ") && !words.contains(" do update ");
}

std::unexpected<Error> wrong_phase(UnitPhase phase) {
  return fail(ErrorCode::invalid_request, "events are appended in work and rights_check, not in " +
                                              std::string(to_string(phase)));
}

}  // namespace

std::string_view to_string(UnitPhase phase) noexcept {
  switch (phase) {
    case UnitPhase::work:
      return "work";
    case UnitPhase::rights_check:
      return "rights_check";
    case UnitPhase::sync:
      return "sync";
    case UnitPhase::audit:
      return "audit";
  }
  return "";
}

UnitOfWork::Impl::Impl(UnitEnvironment environment, WriteCapability capability,
                       std::shared_ptr<log::UnitTransaction> transaction,
                       std::shared_ptr<const void> open_mark)
    : environment_(environment),
      capability_(std::move(capability)),
      transaction_(std::move(transaction)),
      open_mark_(std::move(open_mark)) {
  request_.key_id = capability_.holder();
}

Result<std::uint64_t> UnitOfWork::Impl::execute(std::string_view sql,
                                                std::span<const SqlValue> parameters,
                                                SqlRows* rows) {
  if (phase_ == UnitPhase::audit && rows == nullptr && !is_plain_insert(sql)) {
    return fail(ErrorCode::not_allowed, "an audit hook may only insert into its own tables");
  }
  return transaction_->with([&](log::WriteTransaction& transaction) -> Result<std::uint64_t> {
    log::SqlSession* session = transaction.sql();
    if (session == nullptr) {
      return fail(ErrorCode::invalid_request, "this store has no SQL for the application");
    }
    return session->execute(sql, parameters, rows);
  });
}

Result<void> UnitOfWork::Impl::check_appendable() const {
  if (phase_ != UnitPhase::work && phase_ != UnitPhase::rights_check) return wrong_phase(phase_);
  return {};
}

Result<Uuid> UnitOfWork::Impl::append(NewEvent event) {
  if (auto appendable = check_appendable(); !appendable) {
    return std::unexpected(std::move(appendable).error());
  }
  const AppendLimits& limits = environment_.options.append;
  if (request_.drafts.size() == limits.request_max_events) {
    return std::unexpected(
        Error{ErrorCode::too_large,
              "a unit has at most " + std::to_string(limits.request_max_events) + " events",
              LimitExceeded{"request_max_events", limits.request_max_events},
              {}});
  }
  std::vector<NewEvent> events;
  events.push_back(std::move(event));
  auto prepared = environment_.preparer.prepare(capability_, std::move(events), {});
  if (!prepared) return std::unexpected(std::move(prepared).error());
  core::Draft& draft = prepared->drafts.front();
  if (draft.id_given && !given_ids_.insert(draft.id).second) {
    return std::unexpected(
        Error{ErrorCode::invalid_event,
              "1 violation",
              InvalidEvent{{{0, "/id", "unique", "the same id stands twice in the unit"}}},
              {}});
  }
  const Uuid id = draft.id;
  request_.drafts.push_back(std::move(draft));
  return id;
}

Result<void> UnitOfWork::Impl::expect(std::string stream, ExpectedVersion expected) {
  if (auto appendable = check_appendable(); !appendable) return appendable;
  request_.expected_versions.insert_or_assign(std::move(stream), expected);
  return {};
}

Result<void> UnitOfWork::Impl::run_hooks(UnitPhase phase, UnitOfWork& self) {
  phase_ = phase;
  for (const auto& entry : environment_.hooks.entries()) {
    if (entry.phase != phase) continue;
    if (auto ran = entry.hook(self); !ran) return ran;
  }
  return {};
}

Result<void> UnitOfWork::Impl::sequence() {
  return transaction_->with([this](log::WriteTransaction& transaction) -> Result<void> {
    auto state = transaction.lock_state();
    if (!state) return std::unexpected(std::move(state).error());
    if (auto accepts = log::check_accepts(*state); !accepts) return accepts;
    log::GroupPlan plan(transaction, environment_.store, *state, environment_.clock.now(),
                        environment_.options.append.idempotency_window);
    const log::AppendRequest* request = &request_;
    if (auto loaded = plan.load({&request, 1}, nullptr); !loaded) return loaded;
    auto decided = plan.decide(request_);
    if (!decided) return std::unexpected(std::move(decided).error());
    result_ = *std::move(decided);
    if (result_.duplicate) return {};
    auto written = plan.write();
    if (!written) return std::unexpected(std::move(written).error());
    return {};
  });
}

Result<void> UnitOfWork::Impl::run_audit(UnitOfWork& self) {
  const auto start = std::chrono::steady_clock::now();
  if (auto ran = run_hooks(UnitPhase::audit, self); !ran) return ran;
  if (std::chrono::steady_clock::now() - start > environment_.options.unit.audit_timeout) {
    return fail(ErrorCode::busy, "the audit hooks took longer than unit.audit_timeout");
  }
  return {};
}

Result<AppendResult> UnitOfWork::Impl::finish() {
  if (result_.duplicate) {
    // The first run of this unit was committed with everything it wrote: doing its work again
    // would do it twice.
    rollback();
    if (auto completed = log::complete_receipt(environment_.store.events(), result_); !completed) {
      return std::unexpected(std::move(completed).error());
    }
    return result_;
  }
  auto committed = transaction_->commit();
  if (!committed && committed.error().code == ErrorCode::commit_unknown &&
      !result_.events.empty()) {
    committed = log::find_outcome(environment_.store.events(), result_.events);
  }
  if (!committed) return std::unexpected(std::move(committed).error());
  return result_;
}

Result<void> UnitOfWork::Impl::run_phases(UnitOfWork& self) {
  if (auto ran = run_hooks(UnitPhase::rights_check, self); !ran) return ran;
  if (request_.drafts.empty()) return {};
  if (auto ran = run_hooks(UnitPhase::sync, self); !ran) return ran;
  if (auto sequenced = sequence(); !sequenced) return sequenced;
  if (result_.duplicate) return {};
  return run_audit(self);
}

Result<AppendResult> UnitOfWork::Impl::commit(UnitOfWork& self) {
  if (std::exchange(committing_, true)) {
    return fail(ErrorCode::invalid_request, "the unit is committed once");
  }
  if (auto ran = run_phases(self); !ran) {
    rollback();
    return std::unexpected(std::move(ran).error());
  }
  auto finished = finish();
  open_mark_.reset();
  return finished;
}

void UnitOfWork::Impl::rollback() noexcept {
  transaction_->rollback();
  open_mark_.reset();
}

UnitOfWork::UnitOfWork(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
UnitOfWork::UnitOfWork(UnitOfWork&&) noexcept = default;

UnitOfWork& UnitOfWork::operator=(UnitOfWork&& other) noexcept {
  if (this != &other) {
    if (impl_) impl_->rollback();
    impl_ = std::move(other.impl_);
  }
  return *this;
}

UnitOfWork::~UnitOfWork() {
  if (impl_) impl_->rollback();
}

Result<std::uint64_t> UnitOfWork::execute(std::string_view sql,
                                          std::span<const SqlValue> parameters) {
  return impl_->execute(sql, parameters, nullptr);
}

Result<std::uint64_t> UnitOfWork::execute(std::string_view sql,
                                          std::initializer_list<SqlValue> parameters) {
  return impl_->execute(sql, {parameters.begin(), parameters.size()}, nullptr);
}

Result<SqlRows> UnitOfWork::query(std::string_view sql,
                                  std::initializer_list<SqlValue> parameters) {
  SqlRows rows;
  auto ran = impl_->execute(sql, {parameters.begin(), parameters.size()}, &rows);
  if (!ran) return std::unexpected(std::move(ran).error());
  return rows;
}

Result<Uuid> UnitOfWork::append(NewEvent event) {
  return impl_->append(std::move(event));
}

Result<void> UnitOfWork::expect(std::string stream, ExpectedVersion expected) {
  return impl_->expect(std::move(stream), expected);
}

UnitPhase UnitOfWork::phase() const noexcept {
  return impl_->phase();
}

const std::vector<AppendedEvent>& UnitOfWork::appended() const noexcept {
  return impl_->appended();
}

Result<AppendResult> UnitOfWork::commit() {
  return impl_->commit(*this);
}

void UnitOfWork::rollback() noexcept {
  impl_->rollback();
}

}  // namespace annals
