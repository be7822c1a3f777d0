#include "store/sqlite/change_watch.hpp"

#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {
namespace {

/// The one number of a constant query.
Result<std::int64_t> number(Statements& statements, const char* sql) {
  auto query = statements.query(sql);
  if (!query) return std::unexpected(query.error());
  const auto row = query->step();
  if (!row) return std::unexpected(row.error());
  return query->integer(0);
}

}  // namespace

void ChangeWatch::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
}

std::uint64_t ChangeWatch::look() {
  const std::lock_guard lock(mutex_);
  if (!open_) return 0;
  const auto head = look_at_file();
  if (head) return *head;
  // The next look begins anew; whoever reads meets the error itself.
  connection_.reset();
  version_ = 0;
  return 0;
}

Result<std::uint64_t> ChangeWatch::look_at_file() {
  if (!connection_) {
    auto opened = Connection::open(options_.path, Missing::fail, options_.statement_trace);
    if (!opened) return std::unexpected(opened.error());
    if (auto set = (*opened)->configure(Role::reader); !set) return std::unexpected(set.error());
    connection_ = std::move(*opened);
  }
  auto& statements = connection_->statements();
  const auto version = number(statements, data_version);
  if (!version) return std::unexpected(version.error());
  if (*version == version_) return 0;
  const auto head = number(statements, select_event_seq);
  if (!head) return std::unexpected(head.error());
  version_ = *version;
  return static_cast<std::uint64_t>(*head);
}

void ChangeWatch::close() noexcept {
  const std::lock_guard lock(mutex_);
  open_ = false;
  connection_.reset();
}

}  // namespace annals::store::sqlite
