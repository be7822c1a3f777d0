#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/error.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {

/// Connections for reads, opened when they are first needed. Thread-safe.
class ReaderPool {
 public:
  /// A connection for one call, given back by the destructor. Used on one thread.
  class Lease {
   public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();

    Statements& statements() noexcept { return connection_->statements(); }

    /// Closes the connection instead of giving it back: it cannot be trusted.
    void discard() noexcept { connection_.reset(); }

   private:
    friend class ReaderPool;
    Lease(ReaderPool& pool, std::unique_ptr<Connection> connection) noexcept
        : pool_(&pool),
          connection_(std::move(connection)) {}

    ReaderPool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  /// No I/O. `options` must outlive this.
  explicit ReaderPool(const SqliteOptions& options);

  /// Lets leases be taken.
  void open();

  /// Waits for a free connection up to the busy timeout; `busy` after that.
  Result<Lease> lease();

  /// Runs `body(Statements&)`, which gives a Result, in a read transaction on a connection of the
  /// pool. A connection that failed in a way that spoils it is not used again.
  template <typename Body>
  auto read(Body&& body) -> decltype(body(std::declval<Statements&>())) {
    auto taken = lease();
    if (!taken) return std::unexpected(taken.error());
    auto& statements = taken->statements();
    if (auto begun = statements.run(begin_deferred); !begun) {
      taken->discard();
      return std::unexpected(begun.error());
    }
    auto result = std::forward<Body>(body)(statements);
    const auto ended = statements.run(commit_transaction);
    if (!ended || (!result && spoils_connection(result.error()))) taken->discard();
    return result;
  }

  /// Waits until all are given back and closes them; later calls fail. Idempotent.
  void close() noexcept;

 private:
  void give_back(std::unique_ptr<Connection> connection) noexcept;

  const SqliteOptions& options_;

  std::mutex mutex_;  ///< Protects everything below.
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> idle_;
  int out_ = 0;
  bool open_ = false;
};

}  // namespace annals::store::sqlite
