#include "server/frames.hpp"

#include <algorithm>
#include <utility>

#include "core/filter.hpp"
#include "wire/cloud_event_writer.hpp"
#include "wire/sse.hpp"

namespace annals::server {

namespace {

/// What stands behind the payload in a frame: the end of the envelope and of the frame.
constexpr std::size_t behind_payload = std::string_view{"}\n\n"}.size();

Result<void> append_frame(std::string& out, const Record& record, wire::Rendering rendering,
                          wire::Format format) {
  wire::begin_sse_event(out, record.header.seq);
  auto appended = wire::append_event(out, record, rendering, format);
  wire::end_sse_event(out);
  return appended;
}

}  // namespace

Result<void> FrameRun::add(const Record& record, wire::Rendering rendering) {
  auto& text = texts_.text;
  if (auto appended = append_frame(text[0], record, rendering, format_); !appended) {
    return appended;
  }
  if (!texts_.same) {
    if (auto appended = append_frame(text[1], record, wire::Rendering::reader, format_);
        !appended) {
      return appended;
    }
  }
  texts_.end_frame();
  marks_.push_back(
      {record.header.seq, payload_of(record).size(), record.redacted(), record.header.recorded_at});
  return {};
}

Result<void> FrameRun::add_for_all(const Record& record) {
  if (texts_.same && !wire::same_for_all(record)) {
    texts_.same = false;
    texts_.text[1] = texts_.text[0];
    for (auto& end : texts_.ends)
      end[1] = end[0];
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
  return std::max(texts_.text[0].size(), texts_.text[1].size()) > bounds.max_bytes;
}

void FrameRun::cut_last() {
  marks_.pop_back();
  texts_.ends.pop_back();
  if (!subjects_.empty()) subjects_.pop_back();
  for (std::size_t which : {0U, 1U}) {
    texts_.text[which].resize(texts_.ends.empty() ? 0 : texts_.ends.back()[which]);
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
  run->format_ = selection.format;
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

bool FrameRun::selects(const Selection& selection, std::size_t at) const {
  if (subjects_.empty()) return true;  // chosen when it was encoded
  const Subject& subject = subjects_[at];
  static const std::optional<std::string> nobody;
  const Meta* meta = subject.meta ? &*subject.meta : nullptr;
  return selection.viewer.sees(subject.header, meta == nullptr ? nobody : meta->audience) &&
         core::matches(selection.filter(), subject.header, meta);
}

std::string_view FrameRun::payload(std::size_t at) const {
  const std::size_t bytes = marks_[at].payload_bytes;
  return std::string_view{texts_.text[0]}.substr(texts_.ends[at][0] - behind_payload - bytes,
                                                 bytes);
}

FrameTexts FrameRun::derive(wire::Format format) const {
  static const Meta no_meta;
  FrameTexts out;
  out.same = texts_.same || format == wire::Format::payload;
  const auto append = [&](std::size_t at, wire::Rendering rendering) {
    std::string& text = out.text[out.index_of(rendering)];
    wire::begin_sse_event(text, marks_[at].seq);
    if (format == wire::Format::payload) {
      text += payload(at);
    } else {
      const Subject& subject = subjects_[at];
      wire::append_cloud_event(text,
                               {subject.header, subject.meta ? *subject.meta : no_meta, payload(at),
                                marks_[at].redacted},
                               rendering);
    }
    wire::end_sse_event(text);
  };
  for (std::size_t at = 0; at < marks_.size(); ++at) {
    append(at, wire::Rendering::privileged);
    if (!out.same) append(at, wire::Rendering::reader);
    out.end_frame();
  }
  return out;
}

FrameRun::Shared FrameRun::in_format(const FrameRunPtr& run, wire::Format format) {
  if (format == run->format_) return {run, &run->texts_};
  const std::lock_guard lock{run->mutex_};
  auto& derived = run->derived_[static_cast<std::size_t>(format)];
  auto texts = derived.lock();
  if (!texts) {
    texts = std::make_shared<const FrameTexts>(run->derive(format));
    derived = texts;
  }
  return {texts, texts.get()};
}

FrameRun::Taken FrameRun::take(const FrameRunPtr& run, std::uint64_t cursor,
                               const Selection& selection, const Bounds& bounds,
                               std::uint64_t stop_at) {
  const std::vector<Mark>& marks = run->marks_;
  Taken taken;
  taken.last = cursor;
  auto at = static_cast<std::size_t>(std::ranges::upper_bound(marks, cursor, {}, &Mark::seq) -
                                     marks.begin());
  while (at != marks.size() && marks[at].seq <= stop_at && !run->selects(selection, at))
    ++at;
  if (at == marks.size() || marks[at].seq > stop_at) {
    const std::uint64_t passed = at == marks.size() ? run->last_ : marks[at].seq - 1;
    taken.last = std::max(cursor, std::min(passed, stop_at));
    return taken;
  }
  const Shared shared = in_format(run, selection.format);
  const std::size_t which = shared.texts->index_of(selection.viewer.rendering());
  const auto& ends = shared.texts->ends;
  const std::size_t begin = at == 0 ? 0 : ends[at - 1][which];
  std::size_t end = begin;
  for (; at != marks.size() && run->selects(selection, at); ++at) {
    const bool exempt = end == begin && bounds.first_anyway;
    if (ends[at][which] - begin > bounds.max_bytes && !exempt) {
      taken.full = true;
      break;
    }
    end = ends[at][which];
    taken.last = marks[at].seq;
    taken.slice.last_event = marks[at].seq;
    taken.slice.recorded_at = marks[at].recorded_at;
    ++taken.slice.events;
  }
  taken.slice.bytes = std::string_view{shared.texts->text[which]}.substr(begin, end - begin);
  taken.slice.owner = shared.owner;
  return taken;
}

}  // namespace annals::server
