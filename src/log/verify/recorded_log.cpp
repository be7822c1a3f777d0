#include "log/verify/recorded_log.hpp"

#include <algorithm>
#include <utility>

#include "annals/time.hpp"
#include "core/canonical.hpp"
#include "core/hash.hpp"

namespace annals::log::test {

namespace {

Uuid numbered_id(std::uint8_t kind, std::uint64_t number) {
  Uuid id;
  id.bytes[0] = kind;
  for (std::size_t i = 0; i < 8; ++i) {
    id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return id;
}

Salt numbered_salt(std::uint8_t kind, std::uint64_t number) {
  Salt salt{};
  salt.fill(kind);
  salt[0] = static_cast<std::uint8_t>(number);
  salt[1] = static_cast<std::uint8_t>(number >> 8U);
  return salt;
}

Timestamp time_of(std::uint64_t number) {
  return Timestamp{
      std::chrono::microseconds{1'767'323'045'000'000 + static_cast<std::int64_t>(number)}};
}

std::unexpected<Error> unreadable_row() {
  return fail(ErrorCode::store_corrupt, "a row is not an event's");
}

}  // namespace

RecordedLog::RecordedLog() {
  state_row.log_id = numbered_id(1, 1);
  state_row.local_key_id = numbered_id(2, 1);
}

core::Draft RecordedLog::draft(const std::string& stream) {
  const std::uint64_t number = ++made_;
  core::ValidEvent event;
  event.type = "order.placed";
  event.source = "tests";
  if (!stream.empty()) event.stream = stream;
  event.scope.channel_id = "c-1";
  event.resource.kind = "order";
  event.resource.id = "o-" + std::to_string(number);
  event.receive_action = "read";
  event.payload = R"({"number":)" + std::to_string(number) + "}";
  if (number % 2 == 0) {
    event.meta.actor = Actor{ActorKind::user, "robin"};
    event.meta.audience = "user/sam";
    event.meta.labels = {{"status", "new"}};
  }
  return core::make_draft(std::move(event), numbered_id(3, number), state_row.local_key_id,
                          numbered_salt(4, number), numbered_salt(5, number));
}

void RecordedLog::append(const std::vector<std::string>& streams) {
  std::vector<core::Draft> drafts;
  drafts.reserve(streams.size());
  for (const auto& stream : streams)
    drafts.push_back(draft(stream));
  place(drafts);
}

void RecordedLog::fill(std::size_t count, std::size_t streams, bool unchained) {
  std::vector<std::string> names;
  const std::size_t turn = streams + (unchained ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(i % turn < streams ? "s" + std::to_string(i % turn) : "");
  }
  append(names);
}

void RecordedLog::append_own(const std::string& stream, const std::string& type,
                             std::string payload) {
  const std::uint64_t number = ++made_;
  core::ValidEvent event;
  event.type = type;
  event.stream = stream;
  event.resource.kind = "log";
  event.receive_action = "read";
  event.payload = std::move(payload);
  place({core::make_draft(std::move(event), numbered_id(3, number), state_row.local_key_id,
                          numbered_salt(4, number), numbered_salt(5, number))});
}

void RecordedLog::place(const std::vector<core::Draft>& drafts) {
  core::Placer placer(state_row, time_of(state_row.event_seq + 1));
  for (const auto& event : drafts) {
    if (!event.event.stream || placer.knows(*event.event.stream)) continue;
    const auto head = heads.find(*event.event.stream);
    placer.set_head(*event.event.stream,
                    head == heads.end() ? std::nullopt : std::optional(head->second));
  }
  for (const auto& event : drafts)
    placer.place(event);
  auto placement = placer.finish();
  state_row = placement.after;
  for (auto& record : placement.records)
    records[record.header.seq] = std::move(record);
  for (auto& head : placement.heads)
    heads[head.stream] = head;
  for (const auto& mark : placement.marks)
    marks[mark.seq] = mark.log_hash;
}

void RecordedLog::erase(std::uint64_t seq, bool payload, bool meta) {
  Record& record = at(seq);
  if (payload) record.payload.reset();
  if (meta) record.meta.reset();
  // The record of the erasure is the next event.
  record.redacted_at = time_of(state_row.event_seq + 1);
}

std::string RecordedLog::target(std::uint64_t seq, const std::string& part) const {
  const auto& header = records.at(seq).header;
  const Digest digest = part == "payload" ? header.payload_digest : header.meta_digest.value();
  return R"({"seq":)" + std::to_string(seq) + R"(,"part":")" + part + R"(","digest":")" +
         to_hex(digest) + R"("})";
}

void RecordedLog::append_redaction(const std::string& targets) {
  append_own("$redactions", "log.redacted", R"({"reason":"secret","targets":[)" + targets + "]}");
}

void RecordedLog::rehash_stream(const std::string& stream) {
  std::optional<Digest> previous;
  std::uint64_t number = 0;
  for (auto& [seq, record] : records) {
    if (record.header.stream != stream) continue;
    record.prev_hash = previous;
    record.header.stream_seq = ++number;
    if (record.payload) {
      record.header.payload_digest = core::part_digest(record.payload->salt, record.payload->bytes);
    }
    record.row_hash = core::row_hash(previous, core::header_bytes(record.header));
    previous = record.row_hash;
  }
  heads[stream] = {stream, number, previous.value_or(Digest{})};
}

void RecordedLog::skip_numbers(std::uint64_t count) {
  const std::uint64_t from = state_row.event_seq + 1;
  state_row.event_seq += count;
  const std::uint64_t to = state_row.event_seq;
  append_own(
      "$log", "log.restored",
      R"({"gaps":[{"from":)" + std::to_string(from) + R"(,"to":)" + std::to_string(to) + "}]}");
  gap_rows.push_back({from, to, state_row.event_seq});
}

Result<LogState> RecordedLog::state() {
  return state_row;
}

Result<Page> RecordedLog::page(const ReadOptions& options) {
  if (fail_pages) return fail(ErrorCode::store_unavailable, "the disk is gone");
  Page page;
  page.head = state_row.event_seq;
  page.oldest = state_row.oldest;
  const std::uint64_t after = std::max(options.after, state_row.oldest - 1);
  for (auto row = records.upper_bound(after);
       row != records.end() && page.records.size() < options.limit; ++row) {
    if (unreadable.contains(row->first)) {
      if (page.records.empty() || !short_pages) return unreadable_row();
      break;
    }
    page.records.push_back(row->second);
  }
  page.caught_up = page.records.empty() || page.records.back().header.seq >= page.head;
  page.scanned = page.records.empty() ? options.after : page.records.back().header.seq;
  return page;
}

Result<std::optional<Record>> RecordedLog::find(std::uint64_t seq) {
  if (unreadable.contains(seq)) return unreadable_row();
  const auto found = records.find(seq);
  return found == records.end() ? std::nullopt : std::optional(found->second);
}

Result<std::optional<Record>> RecordedLog::find(const Uuid& id) {
  for (const auto& [seq, record] : records) {
    if (record.header.id == id) return record;
  }
  return std::nullopt;
}

Result<StreamPage> RecordedLog::stream_page(std::string_view stream,
                                            const StreamReadOptions& options) {
  std::map<std::uint64_t, const Record*> rows;
  for (const auto& [seq, record] : records) {
    if (seq < state_row.oldest || record.header.stream != stream) continue;
    rows.emplace(record.header.stream_seq.value_or(0), &record);
  }
  StreamPage page;
  const auto head = heads.find(stream);
  page.version = head == heads.end() ? 0 : head->second.version;
  if (page.version == 0) return page;
  std::vector<const Record*> asked;
  for (const auto& [number, record] : rows) {
    const bool forward = options.order == Order::forward;
    if (forward ? number > options.after : number < options.before) asked.push_back(record);
  }
  if (options.order == Order::backward) std::ranges::reverse(asked);
  for (const Record* record : asked) {
    if (page.records.size() == options.limit) break;
    if (unreadable.contains(record->header.seq)) {
      if (page.records.empty() || !short_pages) return unreadable_row();
      break;
    }
    page.records.push_back(*record);
  }
  return page;
}

Result<std::vector<StreamHead>> RecordedLog::streams(std::string_view prefix,
                                                     std::string_view after, std::size_t limit) {
  std::vector<StreamHead> found;
  for (auto head = heads.upper_bound(after); head != heads.end() && found.size() < limit; ++head) {
    if (head->first.starts_with(prefix)) found.push_back(head->second);
  }
  return found;
}

Result<std::optional<StreamHead>> RecordedLog::stream(std::string_view name) {
  const auto found = heads.find(name);
  return found == heads.end() ? std::nullopt : std::optional(found->second);
}

Result<std::vector<Gap>> RecordedLog::gaps() {
  return gap_rows;
}

Result<std::optional<core::HashMark>> RecordedLog::mark_at_or_before(std::uint64_t seq) {
  const auto after = marks.upper_bound(seq);
  if (after == marks.begin()) return std::nullopt;
  const auto& mark = *std::prev(after);
  return core::HashMark{mark.first, mark.second};
}

Result<std::vector<std::uint64_t>> RecordedLog::lost_ids(std::uint64_t first, std::uint64_t last) {
  return std::vector<std::uint64_t>(lost.lower_bound(first), lost.upper_bound(last));
}

Result<std::uint64_t> RecordedLog::count() {
  return static_cast<std::uint64_t>(records.size());
}

}  // namespace annals::log::test
