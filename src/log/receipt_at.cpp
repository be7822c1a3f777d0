#include "log/receipt_at.hpp"

#include <algorithm>
#include <string>

#include "core/hash.hpp"

namespace annals::log {

namespace {

constexpr std::size_t page_limit = 1000;

/// Folds row hashes from the event after `from` to the last one up to `seq`.
Result<Receipt> fold(EventReader& reader, Receipt from, std::uint64_t seq) {
  while (from.head < seq) {
    const auto limit = std::min<std::uint64_t>(page_limit, seq - from.head);
    const auto page = reader.page({.after = from.head, .limit = static_cast<std::size_t>(limit)});
    if (!page) return std::unexpected(page.error());
    if (page->records.empty()) break;
    for (const auto& record : page->records) {
      if (record.header.seq > seq) return from;
      from.log_hash = core::next_log_hash(from.log_hash, record.row_hash);
      from.head = record.header.seq;
    }
  }
  return from;
}

/// The nearest known point of the running hash at or before `seq`.
Result<Receipt> nearest(EventReader& reader, const LogState& state, std::uint64_t seq) {
  const Receipt base{state.oldest - 1, state.base_log_hash};
  const auto mark = reader.mark_at_or_before(seq);
  if (!mark) return std::unexpected(mark.error());
  if (!*mark || (*mark)->seq < base.head) return base;
  return Receipt{(*mark)->seq, (*mark)->log_hash};
}

}  // namespace

Result<Receipt> receipt_at(EventReader& reader, std::uint64_t seq) {
  const auto state = reader.state();
  if (!state) return std::unexpected(state.error());
  if (seq == state->event_seq) return Receipt{seq, state->log_hash};
  const std::uint64_t base = state->oldest - 1;
  if (seq == base) return Receipt{seq, state->base_log_hash};
  if (seq < base || seq > state->event_seq) {
    return fail(ErrorCode::not_found, "the log keeps " + std::to_string(state->oldest) + " to " +
                                          std::to_string(state->event_seq) + ", not " +
                                          std::to_string(seq));
  }
  const auto from = nearest(reader, *state, seq);
  if (!from) return std::unexpected(from.error());
  auto receipt = fold(reader, *from, seq);
  if (receipt && receipt->head != seq) {
    return fail(ErrorCode::not_found, "no event has the number " + std::to_string(seq));
  }
  return receipt;
}

Result<Receipt> receipt_before(EventReader& reader, std::uint64_t seq) {
  const auto state = reader.state();
  if (!state) return std::unexpected(state.error());
  const auto from = nearest(reader, *state, seq - 1);
  if (!from) return std::unexpected(from.error());
  return fold(reader, *from, seq - 1);
}

}  // namespace annals::log
