#include "server/frames.hpp"

#include <algorithm>
#include <utility>

#include "core/filter.hpp"
#include "wire/envelope.hpp"
#include "wire/sse.hpp"

namespace annals::server {

namespace {

/// What stands behind the payload in a frame: the end of the envelope and of the frame.
constexpr std::size_t behind_payload = std::string_view{"}\n\n"}.size();

Result<void> append_frame(std::string& out, const Record& record, wire::Rendering rendering) {
  wire::begin_sse_event(out, record.header.seq);
  auto appended = wire::append_envelope(out, record, rendering);
  wire::end_sse_event(out);
  return appended;
}

}  // namespace

Result<void> FrameRun::add(const Record& record, wire::Rendering rendering) {
  if (auto appended = append_frame(text_[0], record, rendering); !appended) return appended;
  if (!same_) {
    if (auto appended = append_frame(text_[1], record, wire::Rendering::reader); !appended) {
      return appended;
    }
  }
  marks_.push_back({record.header.seq,
                    {text_[0].size(), text_[1].size()},
                    payload_of(record).size(),
                    record.header.recorded_at});
  return {};
}

Result<void> FrameRun::add_for_all(const Record& record) {
  if (same_ && !wire::same_for_all(record)) {
    same_ = false;
    text_[1] = text_[0];
    for (Mark& mark : marks_)
      mark.end[1] = mark.end[0];
  }
  if (auto added = add(record, wire::Rendering::privileged); !added) return added;
  return add_subject(record);
}

Result<void> FrameRun::add_subject(const Record& record) {
  Subject subject{record.header, std::nullopt};
  subject_bytes_ += sizeof(Subject);
  if (record.meta) {
    auto meta = meta_of(record);
    if (!meta) return std::unexpected(meta.error());
    subject.meta = std::move(*meta);
    subject_bytes_ += record.meta->bytes.size();
  }
  subjects_.push_back(std::move(subject));
  return {};
}

bool FrameRun::over(const Bounds& bounds) const noexcept {
  if (marks_.size() == 1 && bounds.first_anyway) return false;
  return std::max(text_[0].size(), text_[1].size()) > bounds.max_bytes;
}

void FrameRun::cut_last() {
  marks_.pop_back();
  if (!subjects_.empty()) subjects_.pop_back();
  for (std::size_t which : {0U, 1U}) {
    text_[which].resize(marks_.empty() ? 0 : marks_.back().end[which]);
  }
}

Result<FrameRunPtr> FrameRun::encode(std::span<const Record> records, std::uint64_t after,
                                     const Bounds& bounds) {
  auto run = std::make_shared<FrameRun>();
  run->after_ = after;
  run->last_ = after;
  for (const Record& record : records) {
    if (auto added = run->add_for_all(record); !added) return std::unexpected(added.error());
    if (run->over(bounds)) {
      run->cut_last();
      break;
    }
    run->last_ = record.header.seq;
    ++run->records_;
  }
  return run;
}

Result<FrameRunPtr> FrameRun::encode_for(const Page& page, const Bounds& bounds,
                                         const Selection& selection) {
  auto run = std::make_shared<FrameRun>();
  run->after_ = page.after;
  run->last_ = page.after;
  for (const Record& record : page.records) {
    if (selection.viewer.sees(record)) {
      if (auto added = run->add(record, selection.viewer.rendering()); !added) {
        return std::unexpected(added.error());
      }
      if (run->over(bounds)) {
        run->cut_last();
        return run;
      }
    }
    run->last_ = record.header.seq;
    ++run->records_;
  }
  run->last_ = std::max(run->last_, page.scanned);
  return run;
}

bool FrameRun::selects(const Selection& selection, Marks::const_iterator mark) const {
  if (subjects_.empty()) return true;  // chosen when it was encoded
  const Subject& subject = subjects_[static_cast<std::size_t>(mark - marks_.begin())];
  static const std::optional<std::string> nobody;
  const Meta* meta = subject.meta ? &*subject.meta : nullptr;
  return selection.viewer.sees(subject.header, meta == nullptr ? nobody : meta->audience) &&
         core::matches(selection.filter, subject.header, meta);
}

std::string FrameRun::payload_frames(Marks::const_iterator first,
                                     Marks::const_iterator last) const {
  std::string out;
  for (auto mark = first; mark != last; ++mark) {
    wire::begin_sse_event(out, mark->seq);
    const std::size_t begin = mark->end[0] - behind_payload - mark->payload_bytes;
    out.append(text_[0], begin, mark->payload_bytes);
    wire::end_sse_event(out);
  }
  return out;
}

FrameRun::Taken FrameRun::take(const FrameRunPtr& run, std::uint64_t cursor,
                               const Selection& selection, const Bounds& bounds,
                               std::uint64_t stop_at) {
  const bool privileged = selection.viewer.rendering() == wire::Rendering::privileged;
  const std::size_t which = privileged || run->same_ ? 0 : 1;
  const Marks& marks = run->marks_;
  Taken taken;
  taken.last = cursor;
  auto mark = std::ranges::upper_bound(marks, cursor, {}, &Mark::seq);
  while (mark != marks.end() && mark->seq <= stop_at && !run->selects(selection, mark))
    ++mark;
  if (mark == marks.end() || mark->seq > stop_at) {
    const std::uint64_t passed = mark == marks.end() ? run->last_ : mark->seq - 1;
    taken.last = std::max(cursor, std::min(passed, stop_at));
    return taken;
  }
  const auto first = mark;
  const std::size_t begin = first == marks.begin() ? 0 : std::prev(first)->end[which];
  std::size_t end = begin;
  for (; mark != marks.end() && run->selects(selection, mark); ++mark) {
    const bool exempt = end == begin && bounds.first_anyway;
    if (mark->end[which] - begin > bounds.max_bytes && !exempt) {
      taken.full = true;
      break;
    }
    end = mark->end[which];
    taken.last = mark->seq;
    taken.slice.last_event = mark->seq;
    taken.slice.recorded_at = mark->recorded_at;
    ++taken.slice.events;
  }
  if (selection.format == wire::Format::payload && taken.slice.events != 0) {
    auto text = std::make_shared<const std::string>(run->payload_frames(first, mark));
    taken.slice.bytes = *text;
    taken.slice.owner = std::move(text);
  } else {
    taken.slice.bytes = std::string_view{run->text_[which]}.substr(begin, end - begin);
    taken.slice.owner = run;
  }
  return taken;
}

}  // namespace annals::server
