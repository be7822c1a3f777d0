#pragma once

#include <utility>

#include "annals/result.hpp"
#include "store/sqlite/error.hpp"

namespace annals::store::sqlite {

/// What can still be done in a write transaction, shared by the parts that work in it. Used on the
/// transaction's thread.
class TransactionStatus {
 public:
  /// Runs a read, unless the transaction is over.
  template <typename Body>
  auto read(Body&& body) -> decltype(body()) {
    if (over_) return over();
    return watch(std::forward<Body>(body)());
  }

  /// Runs a write, unless the transaction is over or an earlier write failed half way.
  template <typename Body>
  auto write(Body&& body) -> decltype(body()) {
    if (over_) return over();
    if (failed_) return only_rollback();
    auto result = watch(std::forward<Body>(body)());
    if (!result) failed_ = true;
    return result;
  }

  /// Whether the transaction may be committed.
  [[nodiscard]] Result<void> committable() const {
    if (over_) return over();
    if (failed_) return only_rollback();
    return {};
  }

  void set_over() noexcept { over_ = true; }
  [[nodiscard]] bool is_over() const noexcept { return over_; }

  void set_failed() noexcept { failed_ = true; }

  /// True when an error was seen after which the connection must be replaced.
  [[nodiscard]] bool spoiled() const noexcept { return spoiled_; }

 private:
  template <typename T>
  Result<T> watch(Result<T> result) {
    if (!result && spoils_connection(result.error())) spoiled_ = true;
    return result;
  }
  static std::unexpected<Error> over() {
    return fail(ErrorCode::internal, "the transaction is over");
  }
  static std::unexpected<Error> only_rollback() {
    return fail(ErrorCode::internal, "the transaction failed and can only be rolled back");
  }

  bool over_ = false;
  bool failed_ = false;
  bool spoiled_ = false;
};

}  // namespace annals::store::sqlite
