#include "store/memory/memory_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/filter.hpp"

namespace annals::store {
namespace {

constexpr std::size_t max_page = 1000;

Result<void> check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= max_page) return {};
  return fail(ErrorCode::invalid_request, "a page has 1 to 1000 entries");
}

bool retained(const LogState& state, std::uint64_t seq) {
  return seq >= state.oldest && seq <= state.event_seq;
}

std::optional<Record> record_at(const MemoryData& data, std::uint64_t seq) {
  const auto found = data.records.find(seq);
  if (found == data.records.end() || !retained(*data.state, seq)) return std::nullopt;
  return found->second;
}

}  // namespace

template <typename Body>
auto MemoryReader::read(Body&& body) -> decltype(body(std::declval<const MemoryData&>())) {
  if (!open_) return fail(ErrorCode::store_unavailable, "the store is not open");
  return log_->with([&](const MemoryData& data) { return std::forward<Body>(body)(data); });
}

Result<LogState> MemoryReader::state() {
  return read([](const MemoryData& data) -> Result<LogState> { return *data.state; });
}

Result<Page> MemoryReader::page(const ReadOptions& options) {
  if (auto fits = check_limit(options.limit); !fits) return std::unexpected(fits.error());
  if (options.max_scan == 0) return fail(ErrorCode::invalid_request, "max_scan is at least 1");
  return read([&](const MemoryData& data) -> Result<Page> {
    const auto& state = *data.state;
    const bool forward = options.order == Order::forward;
    Page page{{}, state.event_seq, state.oldest, false, forward ? options.after : options.before};
    std::size_t looked_at = 0;
    /// False when the page ends here.
    const auto take = [&](const Record& record) {
      if (!retained(state, record.header.seq)) return true;
      page.scanned = record.header.seq;
      if (core::matches(options.filter, record)) page.records.push_back(record);
      return page.records.size() < options.limit && ++looked_at < options.max_scan;
    };
    if (forward) {
      bool more = true;
      for (auto it = data.records.upper_bound(options.after); more && it != data.records.end();
           ++it) {
        more = take(it->second);
      }
      // Nothing up to the head matches any more, whether it is there or not.
      if (more && !options.filter.empty()) page.scanned = std::max(page.scanned, state.event_seq);
      page.caught_up = page.scanned >= state.event_seq;
    } else {
      auto it = data.records.lower_bound(options.before);
      bool more = true;
      while (more && it != data.records.begin())
        more = take((--it)->second);
      if (more) page.scanned = std::min(page.scanned, state.oldest);
    }
    return page;
  });
}

Result<std::optional<Record>> MemoryReader::find(std::uint64_t seq) {
  return read([&](const MemoryData& data) -> Result<std::optional<Record>> {
    return record_at(data, seq);
  });
}

Result<std::optional<Record>> MemoryReader::find(const Uuid& id) {
  return read([&](const MemoryData& data) -> Result<std::optional<Record>> {
    const auto found = data.ids.find(id);
    if (found == data.ids.end()) return std::nullopt;
    return record_at(data, found->second);
  });
}

Result<StreamPage> MemoryReader::stream_page(std::string_view stream,
                                             const StreamReadOptions& options) {
  if (auto fits = check_limit(options.limit); !fits) return std::unexpected(fits.error());
  return read([&](const MemoryData& data) -> Result<StreamPage> {
    StreamPage page;
    const auto head = data.heads.find(stream);
    if (head == data.heads.end()) return page;
    page.version = head->second.version;
    const bool forward = options.order == Order::forward;
    const std::string name(stream);
    const auto first = data.stream_seqs.lower_bound({name, forward ? options.after + 1 : 0});
    const auto last = data.stream_seqs.lower_bound({name, forward ? max_seq + 1 : options.before});
    if (forward && options.after > max_seq) return page;
    std::vector<Record> all;
    for (auto it = first; it != last; ++it) {
      if (auto record = record_at(data, it->second)) all.push_back(std::move(*record));
    }
    if (!forward) std::ranges::reverse(all);
    if (all.size() > options.limit) all.resize(options.limit);
    page.records = std::move(all);
    return page;
  });
}

Result<std::vector<StreamHead>> MemoryReader::streams(std::string_view prefix,
                                                      std::string_view after, std::size_t limit) {
  if (auto fits = check_limit(limit); !fits) return std::unexpected(fits.error());
  return read([&](const MemoryData& data) -> Result<std::vector<StreamHead>> {
    std::vector<StreamHead> heads;
    for (const auto& [name, head] : data.heads) {
      if (heads.size() == limit) break;
      if (name.starts_with(prefix) && name > after) heads.push_back(head);
    }
    return heads;
  });
}

Result<std::optional<StreamHead>> MemoryReader::stream(std::string_view name) {
  return read([&](const MemoryData& data) -> Result<std::optional<StreamHead>> {
    const auto found = data.heads.find(name);
    if (found == data.heads.end()) return std::nullopt;
    return found->second;
  });
}

Result<std::vector<Gap>> MemoryReader::gaps() {
  return read([](const MemoryData& data) -> Result<std::vector<Gap>> { return data.gaps; });
}

Result<std::optional<core::HashMark>> MemoryReader::mark_at_or_before(std::uint64_t seq) {
  return read([&](const MemoryData& data) -> Result<std::optional<core::HashMark>> {
    const auto next = data.marks.upper_bound(seq);
    if (next == data.marks.begin()) return std::nullopt;
    const auto& [mark_seq, log_hash] = *std::prev(next);
    return core::HashMark{mark_seq, log_hash};
  });
}

Result<std::uint64_t> MemoryReader::count() {
  return read([](const MemoryData& data) -> Result<std::uint64_t> {
    const auto first = data.records.lower_bound(data.state->oldest);
    return static_cast<std::uint64_t>(std::distance(first, data.records.end()));
  });
}

Result<std::vector<std::uint64_t>> MemoryReader::lost_ids(std::uint64_t first, std::uint64_t last) {
  return read([&](const MemoryData& data) -> Result<std::vector<std::uint64_t>> {
    std::vector<std::uint64_t> lost;
    const auto end = data.records.upper_bound(last);
    for (auto row = data.records.lower_bound(first); row != end; ++row) {
      const auto known = data.ids.find(row->second.header.id);
      if (known == data.ids.end() || known->second != row->first) lost.push_back(row->first);
    }
    return lost;
  });
}

Result<std::vector<log::StoredKey>> MemoryReader::keys() {
  return read([](const MemoryData& data) -> Result<std::vector<log::StoredKey>> {
    return sorted_keys(data.keys);
  });
}

Result<std::optional<log::StoredKey>> MemoryReader::key(const Uuid& key_id) {
  return read([&](const MemoryData& data) -> Result<std::optional<log::StoredKey>> {
    const auto found = data.keys.find(key_id);
    if (found == data.keys.end()) return std::nullopt;
    return found->second;
  });
}

Result<log::StoredCatalogue> MemoryReader::catalogue() {
  return read(
      [](const MemoryData& data) -> Result<log::StoredCatalogue> { return data.catalogue; });
}

std::vector<log::StoredKey> sorted_keys(const std::map<Uuid, log::StoredKey>& keys) {
  std::vector<log::StoredKey> sorted;
  for (const auto& [key_id, key] : keys)
    sorted.push_back(key);
  std::ranges::sort(sorted, {}, [](const log::StoredKey& key) {
    return std::pair(key.key.created_at, key.key.key_id);
  });
  return sorted;
}

}  // namespace annals::store
