#include "server/frames.hpp"

#include <algorithm>
#include <utility>

#include "wire/envelope.hpp"
#include "wire/sse.hpp"

namespace annals::server {

namespace {

Result<void> append_frame(std::string& out, const Record& record, wire::Rendering rendering) {
  wire::begin_sse_event(out, record.header.seq);
  auto appended = wire::append_envelope(out, record, rendering);
  wire::end_sse_event(out);
  return appended;
}

}  // namespace

Result<void> FrameRun::add(const Record& record, const Viewer* viewer) {
  if (viewer == nullptr && same_ && !wire::same_for_all(record)) {
    same_ = false;
    text_[1] = text_[0];
    for (Mark& mark : marks_)
      mark.end[1] = mark.end[0];
  }
  const auto first = viewer == nullptr ? wire::Rendering::privileged : viewer->rendering();
  if (auto appended = append_frame(text_[0], record, first); !appended) return appended;
  if (!same_) {
    if (auto appended = append_frame(text_[1], record, wire::Rendering::reader); !appended) {
      return appended;
    }
  }
  marks_.push_back({record.header.seq,
                    {text_[0].size(), text_[1].size()},
                    record.header.key_id,
                    open_to_owner(record.header),
                    record.header.recorded_at});
  return {};
}

void FrameRun::cut_last() {
  marks_.pop_back();
  for (std::size_t which : {0U, 1U}) {
    text_[which].resize(marks_.empty() ? 0 : marks_.back().end[which]);
  }
}

Result<FrameRunPtr> FrameRun::encode(std::span<const Record> records, std::uint64_t after,
                                     const Bounds& bounds, const Viewer* viewer) {
  auto run = std::make_shared<FrameRun>();
  run->after_ = after;
  run->last_ = after;
  for (const Record& record : records) {
    if (viewer == nullptr || viewer->sees(record.header)) {
      if (auto added = run->add(record, viewer); !added) return std::unexpected(added.error());
      const bool first = run->marks_.size() == 1;
      const std::size_t size = std::max(run->text_[0].size(), run->text_[1].size());
      if (size > bounds.max_bytes && !(first && bounds.first_anyway)) {
        run->cut_last();
        break;
      }
    }
    run->last_ = record.header.seq;
    ++run->records_;
  }
  return run;
}

FrameRun::Taken FrameRun::take(std::uint64_t cursor, const Viewer& viewer, const Bounds& bounds,
                               std::uint64_t stop_at) const {
  const std::size_t which = viewer.all || same_ ? 0 : 1;
  Taken taken;
  taken.last = cursor;
  auto mark = std::ranges::upper_bound(marks_, cursor, {}, &Mark::seq);
  while (mark != marks_.end() && !mark->visible(viewer))
    ++mark;
  if (mark == marks_.end() || mark->seq > stop_at) {
    const std::uint64_t passed = mark == marks_.end() ? last_ : mark->seq - 1;
    taken.last = std::max(cursor, std::min(passed, stop_at));
    return taken;
  }
  const std::size_t begin = mark == marks_.begin() ? 0 : std::prev(mark)->end[which];
  std::size_t end = begin;
  for (; mark != marks_.end() && mark->visible(viewer); ++mark) {
    const bool exempt = end == begin && bounds.first_anyway;
    if (mark->end[which] - begin > bounds.max_bytes && !exempt) {
      taken.full = true;
      break;
    }
    end = mark->end[which];
    taken.last = taken.last_frame = mark->seq;
    taken.recorded_at = mark->recorded_at;
    ++taken.frames;
  }
  taken.bytes = std::string_view{text_[which]}.substr(begin, end - begin);
  return taken;
}

}  // namespace annals::server
