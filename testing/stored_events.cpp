#include "testing/stored_events.hpp"

#include <utility>

namespace annals::test {

Result<void> add_stored(const EventLog& log, LogComparison& comparison) {
  ReadOptions options;
  options.limit = 1000;
  while (true) {
    options.after = comparison.head();
    auto page = log.read(options);
    if (!page) return std::unexpected(std::move(page).error());
    for (const auto& record : page->records) {
      const Header& header = record.header;
      const auto token = header.source ? parse_uuid(*header.source) : std::nullopt;
      comparison.add({header.seq, token.value_or(header.id), header.stream, header.stream_seq,
                      record.row_hash});
    }
    if (page->records.empty() || page->caught_up) return {};
  }
}

}  // namespace annals::test
