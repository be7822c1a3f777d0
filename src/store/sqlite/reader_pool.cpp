#include "store/sqlite/reader_pool.hpp"

#include <algorithm>
#include <utility>

namespace annals::store::sqlite {

ReaderPool::Lease::Lease(Lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      connection_(std::move(other.connection_)) {}

ReaderPool::Lease::~Lease() {
  if (pool_ != nullptr) pool_->give_back(std::move(connection_));
}

ReaderPool::ReaderPool(const SqliteOptions& options) : options_(options) {}

void ReaderPool::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  // Giving back must not allocate.
  idle_.reserve(static_cast<std::size_t>(std::max(options_.readers, 1)));
}

Result<ReaderPool::Lease> ReaderPool::lease() {
  const int most = std::max(options_.readers, 1);
  std::unique_ptr<Connection> connection;
  {
    std::unique_lock lock(mutex_);
    const bool free =
        returned_.wait_for(lock, options_.busy_timeout, [&] { return !open_ || out_ < most; });
    if (!open_) return fail(ErrorCode::store_unavailable, "the store is not open");
    if (!free) return fail(ErrorCode::busy, "all connections for reads are taken for too long");
    ++out_;
    if (!idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  Lease lease(*this, std::move(connection));
  if (!lease.connection_) {
    auto opened = Connection::open(options_.path, Missing::fail, options_.statement_trace);
    if (!opened) return std::unexpected(opened.error());
    (*opened)->wait_for_locks(options_.busy_timeout);
    if (auto set = (*opened)->configure(Role::reader); !set) return std::unexpected(set.error());
    lease.connection_ = std::move(*opened);
  }
  lease.connection_->wait_for_locks(options_.busy_timeout);
  return lease;
}

void ReaderPool::give_back(std::unique_ptr<Connection> connection) noexcept {
  const std::lock_guard lock(mutex_);
  --out_;
  if (connection && open_) idle_.push_back(std::move(connection));
  // Notified under the lock: `close` may destroy this as soon as it sees the count.
  returned_.notify_all();
}

void ReaderPool::close() noexcept {
  std::unique_lock lock(mutex_);
  open_ = false;
  returned_.notify_all();
  returned_.wait(lock, [&] { return out_ == 0; });
  idle_.clear();
}

}  // namespace annals::store::sqlite
