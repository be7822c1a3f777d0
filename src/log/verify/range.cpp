#include "log/verify/range.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace annals::log {

namespace {

/// Records are large: bigger pages only cost cache misses and fresh memory.
constexpr std::size_t max_page = 256;
constexpr std::size_t record_overhead = 1024;  // A record without its parts, in memory.

/// After so many single rows in a row could not be read, the distance is doubled at each step.
constexpr std::uint64_t patient_steps = 16;

std::size_t bytes_of(const Record& record) {
  return record_overhead + (record.payload ? record.payload->bytes.size() : 0) +
         (record.meta ? record.meta->bytes.size() : 0);
}

/// Grows the last unreadable range, or begins one.
void add_unreadable(CheckedRange& out, SeqRange range, const Error& error) {
  auto& list = out.unreadable;
  if (!list.empty() && list.back().range.last + 1 == range.first) {
    list.back().range.last = range.last;
    return;
  }
  std::string reason(to_string(error.code));
  if (!error.detail.empty()) reason += ": " + error.detail;
  list.push_back({range, std::move(reason)});
}

/// What the sequence needs of any row.
CheckedRow outline(const Record& record) {
  CheckedRow row;
  row.seq = record.header.seq;
  row.chained = record.header.stream.has_value();
  row.row_hash = record.row_hash;
  row.recorded_at = record.header.recorded_at;
  row.permission_version = record.header.permission_version;
  return row;
}

}  // namespace

CheckedRow check_row(RecordChecker& checker, const Record& record, const Uuid& log_id) {
  const auto& header = record.header;
  CheckedRow row = outline(record);
  row.mine = true;
  if (row.chained) row.stream = *header.stream;
  row.link = {header.stream_seq, record.prev_hash};
  row.redacted_at = record.redacted_at;
  if (payload_erased(record) || meta_erased(record)) {
    row.erased = std::make_unique<ErasedParts>();
    if (payload_erased(record)) row.erased->payload = header.payload_digest;
    if (meta_erased(record)) row.erased->meta = header.meta_digest;
  }
  row.fault = checker.check(record);
  if (header.log_id != log_id && (!row.fault || !row.fault->header)) {
    if (!row.fault) row.fault = std::make_unique<RecordFault>();
    row.fault->header = Mismatch{to_string(log_id), to_string(header.log_id)};
  }
  return row;
}

bool Partition::contains(std::string_view stream) const noexcept {
  if (modulus == 1) return true;
  return (std::hash<std::string_view>{}(stream) >> 24U) % modulus == residue;
}

std::size_t RangeReader::page_limit() const noexcept {
  return std::clamp<std::size_t>(settings_.page_bytes / average_bytes_, 1, max_page);
}

CheckedRange RangeReader::read(SeqRange range) {
  CheckedRange out;
  out.range = range;
  if (settings_.every_row) {
    out.rows.reserve(static_cast<std::size_t>(
        std::min<std::uint64_t>(core::hash_mark_interval, range.last - range.first + 1)));
  }
  std::uint64_t after = range.first - 1;
  std::size_t limit = page_limit();
  std::uint64_t failed_singles = 0;
  std::uint64_t step = 1;
  while (after < range.last) {
    const auto wanted = std::min<std::uint64_t>(limit, range.last - after);
    const auto page = reader_.page({.after = after, .limit = static_cast<std::size_t>(wanted)});
    if (!page && wanted > 1) {
      limit = static_cast<std::size_t>(std::max<std::uint64_t>(1, wanted / 8));
      continue;
    }
    if (!page) {
      if (++failed_singles > patient_steps) step *= 2;
      const std::uint64_t last = std::min(range.last, after + step);
      add_unreadable(out, {after + 1, last}, page.error());
      after = last;
      continue;
    }
    failed_singles = 0;
    step = 1;
    out.oldest = std::max(out.oldest, page->oldest);
    if (page->records.empty()) {
      out.next_seq = max_seq + 1;
      break;
    }
    accept(*page, out);
    after = page->records.back().header.seq;
    limit = std::min(limit * 4, page_limit());
  }
  if (settings_.every_row) {
    read_mark(out);
    look_up_ids(out);
  }
  return out;
}

void RangeReader::accept(const Page& page, CheckedRange& out) {
  std::size_t bytes = 0;
  for (const auto& record : page.records) {
    bytes += bytes_of(record);
    if (record.header.seq > out.range.last) {
      if (out.next_seq == 0) out.next_seq = record.header.seq;
      continue;
    }
    keep(record, out);
  }
  average_bytes_ = std::max<std::size_t>(1, bytes / page.records.size());
}

void RangeReader::keep(const Record& record, CheckedRange& out) {
  const auto& partition = settings_.partition;
  const bool mine = record.header.stream ? partition.contains(*record.header.stream)
                                         : partition.contains_unchained();
  if (mine) {
    out.rows.push_back(check_row(checker_, record, settings_.log_id));
  } else if (settings_.every_row) {
    out.rows.push_back(outline(record));
  }
}

void RangeReader::read_mark(CheckedRange& out) {
  if (out.range.last % core::hash_mark_interval != 0) return;
  if (out.rows.empty() || out.rows.back().seq != out.range.last) return;
  auto mark = reader_.mark_at_or_before(out.range.last);
  if (!mark) {
    out.mark_error = std::move(mark.error());
  } else if (*mark && (*mark)->seq == out.range.last) {
    out.mark = **mark;
  }
}

void RangeReader::look_up_ids(CheckedRange& out) {
  // Where rows are unreadable there is a finding already, and they would fail here once more.
  if (out.rows.empty() || !out.unreadable.empty()) return;
  auto lost = reader_.lost_ids(out.rows.front().seq, out.rows.back().seq);
  if (lost) {
    out.lost_ids = *std::move(lost);
  } else {
    out.lost_ids_error = std::move(lost.error());
  }
}

}  // namespace annals::log
