#include "testing/forwarding_store.hpp"

#include <utility>

namespace annals::test {
namespace {

/// Calls a hook if there is one.
template <typename... Arguments>
Result<void> call(const std::function<Result<void>(Arguments...)>& hook,
                  std::type_identity_t<Arguments>... arguments) {
  if (!hook) return {};
  return hook(arguments...);
}

Result<void> touch(StoreProbe& probe) {
  if (!probe.forbidden) return {};
  ++probe.forbidden_touches;
  return fail(ErrorCode::internal, "the store was touched");
}

class Transaction final : public log::WriteTransaction {
 public:
  Transaction(std::unique_ptr<log::WriteTransaction> inner, std::shared_ptr<StoreProbe> probe)
      : inner_(std::move(inner)),
        probe_(std::move(probe)) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() override { finish(); }

  Result<LogState> lock_state() override {
    ++probe_->state_locks;
    return inner_->lock_state();
  }

  Result<std::vector<std::optional<StreamHead>>> heads(
      std::span<const std::string> streams) override {
    ++probe_->head_calls;
    probe_->head_reads += streams.size();
    if (auto may = call(probe_->before_heads, streams); !may) return std::unexpected(may.error());
    return inner_->heads(streams);
  }

  Result<std::vector<std::optional<Record>>> find_ids(std::span<const Uuid> ids) override {
    probe_->id_reads += ids.size();
    return inner_->find_ids(ids);
  }

  Result<void> append(const core::Placement& placement) override {
    if (auto may = call(probe_->before_append, placement); !may) return may;
    auto appended = inner_->append(placement);
    if (appended) {
      ++probe_->appends;
      probe_->appended_events += placement.records.size();
    }
    return appended;
  }

  log::AdminWriter& admin() override { return inner_->admin(); }
  log::SqlSession* sql() override { return inner_->sql(); }

  Result<void> commit() override {
    if (auto may = call(probe_->before_commit); !may) return may;
    auto committed = inner_->commit();
    if (!committed) return committed;
    over_ = true;
    ++probe_->commits;
    return call(probe_->after_commit);
  }

  void rollback() noexcept override {
    inner_->rollback();
    finish();
  }

 private:
  void finish() noexcept {
    if (!std::exchange(over_, true)) ++probe_->rollbacks;
  }

  std::unique_ptr<log::WriteTransaction> inner_;
  std::shared_ptr<StoreProbe> probe_;
  bool over_ = false;
};

}  // namespace

/// Both readers of the inner store.
class ForwardingStore::Reader final : public log::EventReader, public log::AdminReader {
 public:
  Reader(log::Store& inner, StoreProbe& probe) : inner_(inner), probe_(probe) {}

  Result<LogState> state() override {
    return read([&] { return inner_.events().state(); });
  }
  Result<Page> page(const ReadOptions& options) override {
    return read([&] { return inner_.events().page(options); });
  }
  Result<std::optional<Record>> find(std::uint64_t seq) override {
    return read([&] { return inner_.events().find(seq); });
  }
  Result<std::optional<Record>> find(const Uuid& id) override {
    return read([&] { return inner_.events().find(id); });
  }
  Result<StreamPage> stream_page(std::string_view stream,
                                 const StreamReadOptions& options) override {
    return read([&] { return inner_.events().stream_page(stream, options); });
  }
  Result<std::vector<StreamHead>> streams(std::string_view prefix, std::string_view after,
                                          std::size_t limit) override {
    return read([&] { return inner_.events().streams(prefix, after, limit); });
  }
  Result<std::optional<StreamHead>> stream(std::string_view name) override {
    return read([&] { return inner_.events().stream(name); });
  }
  Result<std::vector<Gap>> gaps() override {
    return read([&] { return inner_.events().gaps(); });
  }
  Result<std::optional<core::HashMark>> mark_at_or_before(std::uint64_t seq) override {
    return read([&] { return inner_.events().mark_at_or_before(seq); });
  }
  Result<std::uint64_t> count() override {
    return read([&] { return inner_.events().count(); });
  }
  Result<std::vector<std::uint64_t>> lost_ids(std::uint64_t first, std::uint64_t last) override {
    return read([&] { return inner_.events().lost_ids(first, last); });
  }
  [[nodiscard]] bool derives_digests() const noexcept override {
    return inner_.events().derives_digests();
  }

  Result<std::vector<log::StoredKey>> keys() override {
    return read([&] { return inner_.admin().keys(); });
  }
  Result<std::optional<log::StoredKey>> key(const Uuid& key_id) override {
    return read([&] { return inner_.admin().key(key_id); });
  }
  Result<log::StoredCatalogue> catalogue() override {
    return read([&] { return inner_.admin().catalogue(); });
  }

 private:
  template <typename Body>
  auto read(Body body) -> decltype(body()) {
    if (auto may = touch(probe_); !may) return std::unexpected(may.error());
    ++probe_.reads;
    if (auto may = call(probe_.before_read); !may) return std::unexpected(may.error());
    return body();
  }

  log::Store& inner_;
  StoreProbe& probe_;
};

class ForwardingStore::Foreign final : public log::ForeignTransactions {
 public:
  Foreign(log::Store& inner, std::shared_ptr<StoreProbe> probe)
      : inner_(inner),
        probe_(std::move(probe)) {}

  Result<std::unique_ptr<log::WriteTransaction>> enlist(void* connection) override {
    if (auto may = touch(*probe_); !may) return std::unexpected(may.error());
    auto transaction = inner_.foreign()->enlist(connection);
    if (!transaction) return transaction;
    return std::make_unique<Transaction>(std::move(*transaction), probe_);
  }

 private:
  log::Store& inner_;
  std::shared_ptr<StoreProbe> probe_;
};

ForwardingStore::ForwardingStore(std::unique_ptr<log::Store> inner,
                                 std::shared_ptr<StoreProbe> probe)
    : inner_(std::move(inner)),
      probe_(std::move(probe)),
      reader_(std::make_unique<Reader>(*inner_, *probe_)),
      foreign_(std::make_unique<Foreign>(*inner_, probe_)) {}

ForwardingStore::~ForwardingStore() = default;

Result<void> ForwardingStore::open(const log::NewLog& new_log) {
  return inner_->open(new_log);
}

void ForwardingStore::close() noexcept {
  inner_->close();
}

log::StoreInfo ForwardingStore::info() const {
  return inner_->info();
}

Result<std::unique_ptr<log::WriteTransaction>> ForwardingStore::begin_write(
    std::chrono::milliseconds timeout) {
  if (auto may = touch(*probe_); !may) return std::unexpected(may.error());
  ++probe_->begin_writes;
  if (auto may = call(probe_->before_begin_write); !may) return std::unexpected(may.error());
  auto transaction = inner_->begin_write(timeout);
  if (!transaction) return transaction;
  return std::make_unique<Transaction>(std::move(*transaction), probe_);
}

Result<void> ForwardingStore::check_room() {
  if (auto may = call(probe_->before_room); !may) return may;
  return inner_->check_room();
}

log::EventReader& ForwardingStore::events() {
  return *reader_;
}

log::AdminReader& ForwardingStore::admin() {
  return *reader_;
}

log::ChangeSignal& ForwardingStore::changes() {
  return inner_->changes();
}

log::ForeignTransactions* ForwardingStore::foreign() {
  return inner_->foreign() == nullptr ? nullptr : foreign_.get();
}

void ForwardingStore::maintain(bool idle) noexcept {
  ++probe_->maintains;
  inner_->maintain(idle);
}

}  // namespace annals::test
