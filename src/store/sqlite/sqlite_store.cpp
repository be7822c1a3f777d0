#include "store/sqlite/sqlite_store.hpp"

#include <sqlite3.h>

#include <mutex>
#include <system_error>

#include "store/common/local_signal.hpp"
#include "store/index/run_folder.hpp"
#include "store/sqlite/change_watch.hpp"
#include "store/sqlite/disk_reserve.hpp"
#include "store/sqlite/enlist.hpp"
#include "store/sqlite/error.hpp"
#include "store/sqlite/indexer.hpp"
#include "store/sqlite/reader.hpp"
#include "store/sqlite/reader_pool.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite/server_lock.hpp"
#include "store/sqlite/writer.hpp"

namespace annals::store {

namespace {
/// How soon commits of other processes are noticed by those who wait.
constexpr std::chrono::milliseconds poll_interval{100};
}  // namespace

class SqliteStore::Impl final : public log::ForeignTransactions {
 public:
  explicit Impl(SqliteOptions given)
      : options(std::move(given)),
        watch(options),
        changes([this] { return watch.look(); }, poll_interval),
        writer(options, changes),
        pool(options),
        reader(pool, index),
        indexer(pool, index) {}

  Result<void> open(const log::NewLog& new_log) {
    // One name for one file, wherever the program goes and whatever links lead there: the log's
    // side files and the server's lock are found by it.
    std::error_code error;
    const auto path = std::filesystem::weakly_canonical(options.path, error);
    if (!error && !options.path.empty()) options.path = std::filesystem::absolute(path, error);
    const auto state = writer.open(new_log);
    if (!state) {
      auto failure = state.error();
      failure.detail = "'" + options.path.string() + "': " + failure.detail;
      return std::unexpected(std::move(failure));
    }
    log_id_ = state->log_id;
    reader.set_log_id(log_id_);
    auto index_path = options.path;
    index_path += "-index";
    index.set_path(std::move(index_path));
    pool.open();
    watch.open();
    indexer.open(log_id_);
    changes.notify(state->event_seq);
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    return {};
  }

  void close() noexcept {
    {
      const std::lock_guard lock(mutex_);
      is_open_ = false;
    }
    changes.interrupt();
    indexer.close();
    pool.close();
    watch.close();
    // Last, so that the file is left in one piece.
    writer.close();
    const std::lock_guard lock(mutex_);
    server_lock_.release();
  }

  Result<void> lock_server() {
    const std::lock_guard lock(mutex_);
    if (!is_open_) return fail(ErrorCode::store_unavailable, "the store is not open");
    return server_lock_.acquire(options.path);
  }

  Result<std::unique_ptr<log::WriteTransaction>> enlist(void* connection) override {
    {
      const std::lock_guard lock(mutex_);
      if (!is_open_) return fail(ErrorCode::store_unavailable, "the store is not open");
    }
    return sqlite::enlist(static_cast<sqlite3*>(connection), options.path, log_id_);
  }

  SqliteOptions options;
  sqlite::ChangeWatch watch;
  LocalSignal changes;
  sqlite::Writer writer;
  sqlite::ReaderPool pool;
  index::RunFolder index;
  sqlite::Reader reader;
  sqlite::Indexer indexer;

 private:
  Uuid log_id_;  ///< Written by `open` only, before anything else is called.

  std::mutex mutex_;  ///< Protects everything below.
  sqlite::ServerLock server_lock_;
  bool is_open_ = false;
};

SqliteStore::SqliteStore(SqliteOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

SqliteStore::~SqliteStore() {
  close();
}

Result<void> SqliteStore::open(const log::NewLog& new_log) {
  return impl_->open(new_log);
}

void SqliteStore::close() noexcept {
  impl_->close();
}

log::StoreInfo SqliteStore::info() const {
  // Connections with weaker settings are refused when they are opened.
  return {"sqlite", sqlite3_libversion(), sqlite::schema_version, "full"};
}

Result<std::unique_ptr<log::WriteTransaction>> SqliteStore::begin_write(
    std::chrono::milliseconds timeout) {
  return impl_->writer.begin(timeout);
}

Result<void> SqliteStore::check_room() {
  return sqlite::check_reserve(impl_->options.path, impl_->options.disk_reserve);
}

log::EventReader& SqliteStore::events() {
  return impl_->reader;
}

log::AdminReader& SqliteStore::admin() {
  return impl_->reader;
}

log::ChangeSignal& SqliteStore::changes() {
  return impl_->changes;
}

log::ForeignTransactions* SqliteStore::foreign() {
  return impl_.get();
}

void SqliteStore::maintain(bool idle) noexcept {
  impl_->writer.maintain(idle, impl_->indexer.reading());
  impl_->indexer.wake(impl_->changes.wait(0, std::chrono::milliseconds::zero()), idle);
}

Result<void> SqliteStore::lock_server() {
  return impl_->lock_server();
}

}  // namespace annals::store
