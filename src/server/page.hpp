#pragma once

#include <cstdint>
#include <vector>

#include "annals/record.hpp"
#include "annals/result.hpp"
#include "server/page_query.hpp"
#include "server/selection.hpp"
#include "server/service.hpp"
#include "wire/answers.hpp"

namespace annals::server {

/// What a page is collected from: the selected events above `after` and within `range`.
struct PageScope {
  Selection selection;
  std::uint64_t after = 0;
  PageRange range;
  std::uint64_t last = max_seq;  ///< Nothing above is shown, although it may be there.
};

/// The events of a page with its counters; without the log's id.
struct PageScan {
  std::vector<Record> records;  ///< In the order asked for.
  wire::PageEnd end;
};

/// Collects a page from the log. It ends when it is full, after `page.max_scan` events, or after
/// about 8 MiB. Reads in steps, so that its memory is bounded by what it shows. Blocks on the
/// store. Errors: those of `EventLog::read`.
[[nodiscard]] Result<PageScan> scan_page(const Service& service, const PageScope& scope);

}  // namespace annals::server
