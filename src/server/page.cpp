#include "server/page.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace annals::server {

namespace {

/// Records read at a time: bounds the memory of a page whose events are large.
constexpr std::size_t read_step = 250;

/// A page ends behind the event that makes it larger than this, whatever its limit.
constexpr std::size_t page_max_bytes = std::size_t{8} * 1024 * 1024;

/// A page while it is collected, in either direction.
class Collector {
 public:
  Collector(const Service& service, const PageScope& scope)
      : service_(service),
        scope_(scope),
        forward_(scope.range.order == Order::forward),
        place_(forward_ ? scope.after : scope.range.before) {}

  Result<PageScan> run() {
    while (!over_) {
      if (auto stepped = step(); !stepped) return std::unexpected(stepped.error());
    }
    finish();
    return std::move(scan_);
  }

 private:
  Result<void> step() {
    const std::size_t missing = scope_.range.limit - scan_.records.size();
    ReadOptions options;
    (forward_ ? options.after : options.before) = place_;
    options.limit = scope_.selection.viewer.all ? std::min(missing, read_step) : read_step;
    options.order = scope_.range.order;
    options.filter = scope_.selection.filter();
    options.max_scan = service_.options.page_max_scan - scanned_;
    auto page = service_.log.read(options);
    if (!page) return std::unexpected(page.error());
    begin(*page);
    // Numbers that are no longer there cost nothing.
    const std::uint64_t from = forward_ ? std::max(place_, page->oldest - 1) : place_;
    for (Record& record : page->records) {
      if (!take(record)) return {};
    }
    pass(*page);
    scanned_ += forward_ ? std::max(place_, from) - from : from - place_;
    over_ = over_ || exhausted_ || full() || scanned_ >= service_.options.page_max_scan;
    return {};
  }

  /// Everything up to where the step has looked is done with, matches or not.
  void pass(const Page& page) {
    if (forward_) {
      place_ = std::max(place_, std::min(page.scanned, scope_.last));
      over_ = page.scanned > scope_.last;
      exhausted_ = !over_ && page.caught_up;
      return;
    }
    place_ = std::min(place_, std::max(page.scanned, scope_.after + 1));
    exhausted_ = page.scanned <= std::max(page.oldest, scope_.after + 1);
  }

  void begin(const Page& page) {
    scan_.end.head = page.head;
    scan_.end.oldest = page.oldest;
    if (forward_ || scanned_ != 0) return;
    newest_ = std::min(page.head, place_ == 0 ? 0 : place_ - 1);
    place_ = newest_ + 1;
  }

  /// Takes the next record; false when it is beyond the page.
  bool take(Record& record) {
    const std::uint64_t seq = record.header.seq;
    if (forward_ ? seq > scope_.last : seq <= scope_.after) {
      over_ = true;
      exhausted_ = !forward_;
      return false;
    }
    if (full()) {
      over_ = true;
      return false;
    }
    place_ = seq;
    if (!scope_.selection.viewer.sees(record)) return true;
    bytes_ += payload_of(record).size() + 1024;
    scan_.records.push_back(std::move(record));
    return true;
  }

  [[nodiscard]] bool full() const noexcept {
    return scan_.records.size() >= scope_.range.limit || bytes_ >= page_max_bytes;
  }

  void finish() {
    wire::PageEnd& end = scan_.end;
    if (forward_) {
      end.next_after = place_;
      end.caught_up = exhausted_;
      return;
    }
    end.next_after = newest_;
    end.caught_up = newest_ == end.head;
    const std::uint64_t lowest = std::max(scope_.after + 1, end.oldest);
    if (!exhausted_ && place_ > lowest) end.next_before = place_;
  }

  const Service& service_;
  const PageScope& scope_;
  const bool forward_;
  std::uint64_t place_;       ///< The last seq looked at; before the first step where it begins.
  std::uint64_t newest_ = 0;  ///< Backward: the highest seq looked at.
  std::size_t scanned_ = 0;
  std::size_t bytes_ = 0;
  bool over_ = false;
  bool exhausted_ = false;  ///< Nothing within the scope lies beyond.
  PageScan scan_;
};

}  // namespace

Result<PageScan> scan_page(const Service& service, const PageScope& scope) {
  auto scanned = Collector{service, scope}.run();
  if (!scanned || !scope.selection.viewer.keyless) return scanned;
  PageScope again = scope;
  const auto learnt = service.access.learn_key(again.selection.viewer);
  if (!learnt) return std::unexpected(learnt.error());
  return *learnt ? Collector{service, again}.run() : std::move(scanned);
}

}  // namespace annals::server
