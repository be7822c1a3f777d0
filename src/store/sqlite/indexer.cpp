#include "store/sqlite/indexer.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "core/canonical.hpp"
#include "store/sqlite/codec.hpp"
#include "store/sqlite/run_check.hpp"
#include "store/sqlite/statements.hpp"

namespace annals::store::sqlite {
namespace {

/// Numbers not covered from which on a run is written: they are read row by row until then.
constexpr std::uint64_t enough_when_busy = 4096;
constexpr std::uint64_t enough_when_idle = 256;

/// Most numbers of a run that is made from rows.
constexpr std::uint64_t longest_new_run = 32'768;

/// Rows read in one transaction: a longer one would keep the write-ahead log from being reused.
constexpr std::uint64_t rows_at_a_time = 1000;

/// So many neighbours of one size become one.
constexpr std::size_t merge_width = 8;

/// How far below the callers' threads the work runs.
constexpr int niceness = 10;

/// The size of a run as a step: each step is `merge_width` times the one before; the last one grows
/// no more.
constexpr int last_step = 3;
int step_of(const index::RunInfo& info) {
  int step = 0;
  for (auto most = enough_when_busy; info.span() > most && step < last_step; most *= merge_width)
    ++step;
  return step;
}

/// Neighbours that are to become one; empty when there are none.
std::span<const std::shared_ptr<const index::Run>> due_for_merge(const index::RunList& runs) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& info = runs[i]->info();
    const bool continues = i > begin && info.from == runs[i - 1]->info().to + 1 &&
                           step_of(info) == step_of(runs[begin]->info());
    if (!continues) begin = i;
    if (i - begin + 1 < merge_width || step_of(info) == last_step) continue;
    if (info.to - runs[begin]->info().from < index::Run::max_span) {
      return std::span(runs).subspan(begin, merge_width);
    }
  }
  return {};
}

/// Columns of `select_facets`.
struct IndexedRow {
  Header header;
  Meta meta;
  Digest row_hash{};
};

Result<IndexedRow> read_indexed_row(Query& query) {
  RowReader row(query);
  IndexedRow indexed;
  auto& header = indexed.header;
  header.seq = row.counter();
  header.type = row.text();
  header.source = row.optional_text();
  header.stream = row.optional_text();
  header.scope.space_id = row.optional_text();
  header.scope.channel_id = row.optional_text();
  header.scope.thread_id = row.optional_text();
  header.resource.kind = row.text();
  header.resource.id = row.optional_text();
  indexed.row_hash = row.digest();
  const auto meta = row.optional_text();
  if (!row.ok()) return fail(ErrorCode::store_corrupt, "a row cannot be indexed");
  // A meta that does not read as one matches no filter.
  if (meta) indexed.meta = core::parse_meta(*meta).value_or(Meta{});
  return indexed;
}

}  // namespace

void Indexer::open(const Uuid& log_id) {
  const std::lock_guard lock(mutex_);
  log_id_ = log_id;
  open_ = true;
}

void Indexer::wake(std::uint64_t head, bool idle) noexcept {
  const auto enough = idle ? enough_when_idle : enough_when_busy;
  {
    const std::lock_guard lock(mutex_);
    if (!open_ || due_ || head < covered_ + enough) return;
    // After a failure, and while somebody else indexes, a busy log tries again when there is more.
    if (!idle && head < tried_ + enough) return;
    due_ = true;
    tried_ = head;
    enough_ = enough;
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { run(); });
    }
  }
  woken_.notify_one();
}

void Indexer::close() noexcept {
  stopping_ = true;
  {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  woken_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Indexer::run() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness);
  std::unique_lock lock(mutex_);
  for (;;) {
    woken_.wait(lock, [this] { return due_ || stopping_; });
    if (stopping_) return;
    const auto enough = enough_;
    lock.unlock();
    const auto covered = work(enough);
    lock.lock();
    due_ = false;
    if (covered) covered_ = *covered;
  }
}

Result<std::uint64_t> Indexer::work(std::uint64_t enough) {
  index::FolderLock lock;
  const auto locked = lock.try_acquire(folder_.path());
  if (!locked) return std::unexpected(locked.error());
  if (!*locked) return fail(ErrorCode::busy, "another process indexes");
  auto seen = look(Tidy::yes);
  while (seen && !stopping_) {
    const auto hole = first_hole(*seen, enough);
    const auto run = hole ? write_run(*hole) : merge(*seen->runs);
    if (!run) return std::unexpected(run.error());
    if (!*run) break;
    seen = look(Tidy::no);
  }
  if (!seen) return std::unexpected(seen.error());
  return first_uncovered(*seen) - 1;
}

Result<Indexer::Seen> Indexer::look(Tidy tidy) {
  const std::lock_guard quiet(reading_);
  return pool_.read([&](Statements& statements) -> Result<Seen> {
    auto state = load_state(statements);
    if (!state) return std::unexpected(state.error());
    const auto fitting = [&](const index::RunInfo& info) { return fits(statements, *state, info); };
    if (tidy == Tidy::yes) folder_.tidy(fitting);
    auto runs = folder_.runs(fitting);
    return Seen{*std::move(state), std::move(runs)};
  });
}

std::uint64_t Indexer::first_uncovered(const Seen& seen) {
  auto next = seen.state.oldest;
  while (const auto* run = index::run_at(*seen.runs, next))
    next = run->info().to + 1;
  return next;
}

std::optional<Indexer::Hole> Indexer::first_hole(const Seen& seen, std::uint64_t enough) {
  const auto head = seen.state.event_seq;
  const auto next = first_uncovered(seen);
  if (next > head) return std::nullopt;
  const auto last = index::stretch_from(*seen.runs, next, head).last;
  if (last == head && last - next + 1 < enough) return std::nullopt;
  return Hole{next, std::min(last, next + longest_new_run - 1)};
}

Result<bool> Indexer::write_run(Hole hole) {
  index::RunBuilder builder(hole.first);
  index::RunInfo info{log_id_, hole.first, hole.first - 1, {}};
  while (info.to < hole.last && !stopping_) {
    const auto more = read_rows(builder, info, hole.last);
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
  }
  // A part of the log without events is covered together with the event that follows.
  if (stopping_ || info.to < hole.first) return false;
  const auto draft = folder_.draft_name(info.from, info.to);
  if (auto written = builder.write(draft, info); !written) {
    return std::unexpected(written.error());
  }
  if (auto published = folder_.publish(draft, info.from, info.to); !published) {
    return std::unexpected(published.error());
  }
  return true;
}

Result<bool> Indexer::read_rows(index::RunBuilder& builder, index::RunInfo& info,
                                std::uint64_t last) {
  const std::lock_guard quiet(reading_);
  return pool_.read([&](Statements& statements) -> Result<bool> {
    auto query = statements.query(select_facets);
    if (!query) return std::unexpected(query.error());
    query->bind(1, info.to + 1).bind(2, last).bind(3, rows_at_a_time);
    bool any = false;
    for (;;) {
      const auto row = query->step();
      if (!row) return std::unexpected(row.error());
      if (!*row) return any;
      const auto indexed = read_indexed_row(*query);
      if (!indexed) return std::unexpected(indexed.error());
      builder.add(indexed->header, indexed->meta);
      info.to = indexed->header.seq;
      info.last_row_hash = indexed->row_hash;
      any = true;
    }
  });
}

Result<bool> Indexer::merge(const index::RunList& runs) {
  const auto due = due_for_merge(runs);
  if (due.empty()) return false;
  const auto from = due.front()->info().from;
  const auto to = due.back()->info().to;
  const auto draft = folder_.draft_name(from, to);
  const auto merged = index::merge_runs(due, draft, [this] { return stopping_.load(); });
  if (!merged || !*merged) return merged;
  if (auto published = folder_.publish(draft, from, to); !published) {
    return std::unexpected(published.error());
  }
  // Whoever still reads the parts has them open.
  std::error_code ignored;
  for (const auto& run : due)
    std::filesystem::remove(run->path(), ignored);
  return true;
}

}  // namespace annals::store::sqlite
