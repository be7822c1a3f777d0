#include "annals/event_log.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "core/capability_mint.hpp"
#include "core/cursor.hpp"
#include "log/admin/catalogue_keeper.hpp"
#include "log/admin/freeze.hpp"
#include "log/admin/key_ring.hpp"
#include "log/append/append_queue.hpp"
#include "log/append/committer.hpp"
#include "log/append/group_plan.hpp"
#include "log/append/request_preparer.hpp"
#include "log/receipt_at.hpp"
#include "log/stream_reader.hpp"
#include "log/system/random_ids.hpp"
#include "log/system/system_clock.hpp"
#include "log/unit/open_units.hpp"
#include "log/unit/unit_hooks.hpp"
#include "log/unit/unit_of_work_impl.hpp"
#include "log/unit/unit_watchdog.hpp"
#include "log/verify.hpp"

namespace annals {

namespace {

constexpr std::size_t page_max = 1000;

std::unexpected<Error> not_open() {
  return fail(ErrorCode::store_unavailable, "the log is not open");
}

Result<void> check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= page_max) return {};
  return fail(ErrorCode::invalid_request, "a page has 1 to 1000 entries");
}

/// Lets a caller wait for a completion.
class Waiter {
 public:
  void set(Result<AppendResult> result) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    // Notified under the lock: the waiter may destroy this as soon as it sees the result.
    ready_.notify_one();
  }

  Result<AppendResult> wait() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return result_.has_value(); });
    return *std::move(result_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::optional<Result<AppendResult>> result_;
};

}  // namespace

class EventLog::Impl {
 public:
  Impl(std::unique_ptr<log::Store> store, LogOptions options, std::shared_ptr<log::Clock> clock,
       std::shared_ptr<log::Ids> ids)
      : options_(std::move(options)),
        clock_(clock ? std::move(clock) : std::make_shared<log::SystemClock>()),
        ids_(ids ? std::move(ids) : std::make_shared<log::RandomIds>()),
        store_(std::move(store)),
        preparer_(options_, clock_, ids_),
        catalogue_(*store_, preparer_, *clock_, options_.append.queue_timeout),
        keys_(*store_, preparer_, *clock_, *ids_, options_.append.queue_timeout),
        queue_(options_.append),
        committer_(*store_, queue_, preparer_, *clock_, options_,
                   [this] { static_cast<void>(catalogue_.refresh()); }) {}

  Result<void> open(bool create);
  Result<void> stop();
  void submit(const WriteCapability& capability, std::vector<NewEvent> events,
              AppendOptions options, Completion done);
  Result<AppendResult> append_in(void* connection, const WriteCapability& capability,
                                 std::vector<NewEvent> events, AppendOptions options);
  Result<UnitOfWork> begin(const WriteCapability& capability, const void* owner);

  [[nodiscard]] bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }

 private:
  friend class EventLog;

  const LogOptions options_;
  std::shared_ptr<log::Clock> clock_;
  std::shared_ptr<log::Ids> ids_;
  std::unique_ptr<log::Store> store_;
  log::RequestPreparer preparer_;
  log::CatalogueKeeper catalogue_;
  log::KeyRing keys_;
  log::UnitHooks hooks_;
  log::UnitWatchdog watchdog_;
  log::AppendQueue queue_;
  log::Committer committer_;
  std::optional<WriteCapability> local_admin_;  ///< Set by open, then constant.
  std::atomic<bool> open_ = false;
};

Result<void> EventLog::Impl::open(bool create) {
  if (is_open()) return fail(ErrorCode::invalid_request, "the log is open already");
  const Timestamp now = clock_->now();
  const log::NewLog new_log{ids_->event_id(now), ids_->random_id(), now, create};
  if (auto opened = store_->open(new_log); !opened) return opened;
  auto state = store_->events().state();
  if (!state) return std::unexpected(std::move(state).error());
  auto admin = CapabilityMint::mint(state->local_key_id, {"*"}, now);
  if (!admin) return std::unexpected(std::move(admin).error());
  local_admin_ = *std::move(admin);
  if (auto loaded = catalogue_.refresh(); !loaded) return loaded;
  committer_.start(*state);
  open_.store(true, std::memory_order_release);
  return {};
}

Result<void> EventLog::Impl::stop() {
  if (!open_.exchange(false)) return {};
  auto stopped = committer_.stop();
  store_->close();
  return stopped;
}

void EventLog::Impl::submit(const WriteCapability& capability, std::vector<NewEvent> events,
                            AppendOptions options, Completion done) {
  // Preparing comes before any look at the store's state: a refused capability touches nothing.
  const Ack ack = options.ack;
  const Overflow overflow = options.overflow;
  auto prepared = preparer_.prepare(capability, std::move(events), std::move(options));
  if (!prepared) {
    done(std::unexpected(std::move(prepared).error()));
    return;
  }
  log::PendingAppend pending;
  pending.queued = ack == Ack::queued && !prepared->critical;
  pending.request = *std::move(prepared);
  pending.done = std::move(done);
  pending.deadline = std::chrono::steady_clock::now() + options_.append.queue_timeout;
  queue_.push(std::move(pending), overflow);
}

Result<AppendResult> EventLog::Impl::append_in(void* connection, const WriteCapability& capability,
                                               std::vector<NewEvent> events,
                                               AppendOptions options) {
  auto prepared = preparer_.prepare(capability, std::move(events), std::move(options));
  if (!prepared) return std::unexpected(std::move(prepared).error());
  log::ForeignTransactions* foreign = store_->foreign();
  if (foreign == nullptr) {
    return fail(ErrorCode::invalid_request, "this store has no connections to enlist in");
  }
  auto transaction = foreign->enlist(connection);
  if (!transaction) return std::unexpected(std::move(transaction).error());
  auto state = (*transaction)->lock_state();
  if (!state) return std::unexpected(std::move(state).error());
  if (auto accepts = log::check_accepts(*state); !accepts) {
    return std::unexpected(std::move(accepts).error());
  }
  log::GroupPlan plan(**transaction, *store_, *state, clock_->now(),
                      options_.append.idempotency_window);
  const log::AppendRequest* request = &*prepared;
  if (auto loaded = plan.load({&request, 1}, nullptr); !loaded) {
    return std::unexpected(std::move(loaded).error());
  }
  auto decided = plan.decide(*prepared);
  if (!decided) return std::unexpected(std::move(decided).error());
  if (auto written = plan.write(); !written) return std::unexpected(std::move(written).error());
  if (auto completed = log::complete_receipt(store_->events(), *decided); !completed) {
    return std::unexpected(std::move(completed).error());
  }
  return decided;
}

Result<UnitOfWork> EventLog::Impl::begin(const WriteCapability& capability, const void* owner) {
  auto transaction = store_->begin_write(options_.append.queue_timeout);
  if (!transaction) return std::unexpected(std::move(transaction).error());
  auto shared = std::make_shared<log::UnitTransaction>(
      *std::move(transaction), std::chrono::steady_clock::now() + options_.unit.max_duration);
  watchdog_.watch(shared);
  return UnitOfWork(std::make_unique<UnitOfWork::Impl>(
      UnitEnvironment{*store_, preparer_, *clock_, options_, hooks_}, capability, std::move(shared),
      log::mark_unit_open(owner)));
}

EventLog::EventLog(std::unique_ptr<log::Store> store, LogOptions options,
                   std::shared_ptr<log::Clock> clock, std::shared_ptr<log::Ids> ids)
    : impl_(std::make_unique<Impl>(std::move(store), std::move(options), std::move(clock),
                                   std::move(ids))) {}

EventLog::~EventLog() {
  static_cast<void>(stop());
}

Result<void> EventLog::open() {
  return impl_->open(true);
}

Result<void> EventLog::open_existing() {
  return impl_->open(false);
}

Result<void> EventLog::stop() {
  return impl_->stop();
}

WriteCapability EventLog::local_admin() const {
  if (!impl_->local_admin_) throw std::logic_error("local_admin needs an open log");
  return *impl_->local_admin_;
}

Result<AppendResult> EventLog::append(const WriteCapability& capability,
                                      std::vector<NewEvent> events, AppendOptions options) {
  if (log::unit_open_on_this_thread(this)) {
    return fail(ErrorCode::unit_open, "this thread has a unit of work open");
  }
  Waiter waiter;
  impl_->submit(capability, std::move(events), std::move(options),
                [&waiter](Result<AppendResult> result) { waiter.set(std::move(result)); });
  return waiter.wait();
}

Result<AppendResult> EventLog::append(const WriteCapability& capability, NewEvent event,
                                      AppendOptions options) {
  std::vector<NewEvent> events;
  events.push_back(std::move(event));
  return append(capability, std::move(events), std::move(options));
}

void EventLog::append_async(const WriteCapability& capability, std::vector<NewEvent> events,
                            AppendOptions options, Completion done) {
  impl_->submit(capability, std::move(events), std::move(options), std::move(done));
}

Result<std::vector<Uuid>> EventLog::enqueue(const WriteCapability& capability,
                                            std::vector<NewEvent> events, AppendOptions options) {
  options.ack = Ack::queued;
  auto queued = append(capability, std::move(events), std::move(options));
  if (!queued) return std::unexpected(std::move(queued).error());
  std::vector<Uuid> ids;
  ids.reserve(queued->events.size());
  for (const AppendedEvent& event : queued->events)
    ids.push_back(event.id);
  return ids;
}

Result<void> EventLog::flush() {
  if (log::unit_open_on_this_thread(this)) {
    return fail(ErrorCode::unit_open, "this thread has a unit of work open");
  }
  return impl_->queue_.flush();
}

std::uint64_t EventLog::dropped() const noexcept {
  return impl_->queue_.dropped();
}

Result<UnitOfWork> EventLog::begin(const WriteCapability& capability) {
  if (!impl_->is_open()) return not_open();
  if (log::unit_open_on_this_thread(this)) {
    return fail(ErrorCode::unit_open, "this thread has a unit of work open");
  }
  return impl_->begin(capability, this);
}

Result<AppendResult> EventLog::append_in(sqlite3* connection, const WriteCapability& capability,
                                         std::vector<NewEvent> events, AppendOptions options) {
  if (!impl_->is_open()) return not_open();
  if (log::unit_open_on_this_thread(this)) {
    return fail(ErrorCode::unit_open, "this thread has a unit of work open");
  }
  return impl_->append_in(connection, capability, std::move(events), std::move(options));
}

void EventLog::add_hook(UnitPhase phase, std::string name, UnitHook hook) {
  if (impl_->is_open()) throw std::logic_error("hooks are registered before the log opens");
  if (phase == UnitPhase::work) throw std::logic_error("the work phase has no hooks");
  impl_->hooks_.add(phase, std::move(name), std::move(hook));
}

std::vector<std::string> EventLog::hooks() const {
  return impl_->hooks_.lines();
}

Result<LogState> EventLog::state() const {
  if (!impl_->is_open()) return not_open();
  return impl_->store_->events().state();
}

Result<Page> EventLog::read(const ReadOptions& options) const {
  if (!impl_->is_open()) return not_open();
  if (auto checked = check_limit(options.limit); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  auto page = impl_->store_->events().page(options);
  if (!page || options.order == Order::backward || options.after == 0) return page;
  // A position that cannot be continued is an error, never a page that silently begins later.
  if (auto valid = core::check_cursor(options.after, page->oldest, page->head); !valid) {
    return std::unexpected(std::move(valid).error());
  }
  return page;
}

Result<Record> EventLog::find(std::uint64_t seq) const {
  if (!impl_->is_open()) return not_open();
  auto record = impl_->store_->events().find(seq);
  if (!record) return std::unexpected(std::move(record).error());
  if (!*record) return fail(ErrorCode::not_found, "no event " + std::to_string(seq));
  return **std::move(record);
}

Result<Record> EventLog::find(const Uuid& id) const {
  if (!impl_->is_open()) return not_open();
  auto record = impl_->store_->events().find(id);
  if (!record) return std::unexpected(std::move(record).error());
  if (!*record) return fail(ErrorCode::not_found, "no event " + to_string(id));
  return **std::move(record);
}

Result<StreamPage> EventLog::read_stream(std::string_view stream,
                                         const StreamReadOptions& options) const {
  if (!impl_->is_open()) return not_open();
  if (auto checked = check_limit(options.limit); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  return log::read_stream(impl_->store_->events(), stream, options);
}

Result<std::vector<StreamHead>> EventLog::streams(std::string_view prefix, std::string_view after,
                                                  std::size_t limit) const {
  if (!impl_->is_open()) return not_open();
  if (auto checked = check_limit(limit); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  return impl_->store_->events().streams(prefix, after, limit);
}

Result<StreamHead> EventLog::stream(std::string_view name) const {
  if (!impl_->is_open()) return not_open();
  auto head = impl_->store_->events().stream(name);
  if (!head) return std::unexpected(std::move(head).error());
  if (!*head) return fail(ErrorCode::not_found, "no such stream");
  return **std::move(head);
}

Result<Receipt> EventLog::receipt_at(std::uint64_t seq) const {
  if (!impl_->is_open()) return not_open();
  return log::receipt_at(impl_->store_->events(), seq);
}

Result<std::uint64_t> EventLog::wait_after(std::uint64_t seq,
                                           std::chrono::milliseconds timeout) const {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    auto state = this->state();
    if (!state) return std::unexpected(std::move(state).error());
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (state->event_seq > seq || left <= std::chrono::milliseconds::zero()) {
      return state->event_seq;
    }
    impl_->store_->changes().wait(state->event_seq, left);
  }
}

Result<VerifyReport> EventLog::verify(const VerifyOptions& options,
                                      const VerifyProgress& progress) const {
  if (!impl_->is_open()) return not_open();
  return log::verify(impl_->store_->events(), options, impl_->options_.verify_memory, progress);
}

Result<CreatedKey> EventLog::create_key(const WriteCapability& by, NewKey key) {
  if (!impl_->is_open()) return not_open();
  return impl_->keys_.create(by, std::move(key));
}

Result<Key> EventLog::revoke_key(const WriteCapability& by, std::string_view name_or_id) {
  if (!impl_->is_open()) return not_open();
  return impl_->keys_.revoke(by, name_or_id);
}

Result<Key> EventLog::change_key(const WriteCapability& by, std::string_view name_or_id,
                                 KeyChange change) {
  if (!impl_->is_open()) return not_open();
  return impl_->keys_.change(by, name_or_id, std::move(change));
}

Result<std::vector<Key>> EventLog::keys() const {
  if (!impl_->is_open()) return not_open();
  return impl_->keys_.list();
}

Result<Identity> EventLog::authenticate(std::string_view secret) const {
  if (!impl_->is_open()) return not_open();
  return impl_->keys_.authenticate(secret);
}

Result<std::optional<Identity>> EventLog::find_subject(std::string_view subject,
                                                       const AllowedTypes& types) const {
  if (!impl_->is_open()) return not_open();
  return impl_->keys_.find_subject(subject, types);
}

Result<Identity> EventLog::admit_subject(const WriteCapability& by, std::string_view subject,
                                         const AllowedTypes& types) {
  if (!impl_->is_open()) return not_open();
  return impl_->keys_.admit_subject(by, subject, types);
}

Result<bool> EventLog::apply_catalogue(const WriteCapability& by, std::string_view json) {
  if (!impl_->is_open()) return not_open();
  return impl_->catalogue_.apply(by, json);
}

Result<bool> EventLog::freeze(const WriteCapability& by, bool frozen) {
  if (!impl_->is_open()) return not_open();
  return log::set_frozen(*impl_->store_, impl_->options_.append.queue_timeout, by, frozen);
}

std::shared_ptr<const core::Catalogue> EventLog::catalogue() const {
  return impl_->catalogue_.current();
}

std::shared_ptr<const core::EventRules> EventLog::rules() const {
  return impl_->preparer_.rules();
}

log::Store& EventLog::store() const noexcept {
  return *impl_->store_;
}

void EventLog::observe(std::shared_ptr<log::CommitObserver> observer) {
  impl_->committer_.observe(std::move(observer));
}

const LogOptions& EventLog::options() const noexcept {
  return impl_->options_;
}

}  // namespace annals
