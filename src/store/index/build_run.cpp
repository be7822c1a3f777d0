#include "store/index/build_run.hpp"

#include <algorithm>
#include <optional>

namespace annals::store::index {
namespace {

constexpr std::size_t read_ahead = 32;  // blocks
constexpr std::size_t keys_between_looks = 4096;

/// One of the runs being merged, at its next key.
struct Source {
  EntryReader entries;
  std::uint32_t shift;
  bool more;
};

Result<std::vector<Source>> open_sources(std::span<const std::shared_ptr<const Run>> runs) {
  std::vector<Source> sources;
  const auto from = runs.front()->info().from;
  for (const auto& run : runs) {
    Source source{EntryReader(*run, 0, read_ahead),
                  static_cast<std::uint32_t>(run->info().from - from), false};
    const auto more = source.entries.next();
    if (!more) return std::unexpected(more.error());
    source.more = *more;
    sources.push_back(std::move(source));
  }
  return sources;
}

std::optional<FacetKey> lowest_key(const std::vector<Source>& sources) {
  std::optional<FacetKey> lowest;
  for (const auto& source : sources) {
    if (source.more && (!lowest || source.entries.key() < *lowest)) lowest = source.entries.key();
  }
  return lowest;
}

/// Takes the postings of `key` out of every source that is there.
Result<void> take_key(std::vector<Source>& sources, FacetKey key,
                      std::vector<std::uint32_t>& offsets) {
  offsets.clear();
  for (auto& source : sources) {
    if (!source.more || source.entries.key() != key) continue;
    const auto postings = source.entries.postings();
    if (!postings) return std::unexpected(postings.error());
    postings->append_to(offsets, source.shift);
    const auto more = source.entries.next();
    if (!more) return std::unexpected(more.error());
    source.more = *more;
  }
  return {};
}

}  // namespace

void RunBuilder::add(const Header& header, const Meta& meta) {
  keys_.clear();
  append_keys(keys_, header, meta);
  const auto offset = header.seq - from_;
  for (const auto key : keys_)
    entries_.push_back((std::uint64_t{key} << 32U) | offset);
}

Result<void> RunBuilder::write(const std::filesystem::path& path, const RunInfo& info) {
  std::ranges::sort(entries_);
  const auto repeated = std::ranges::unique(entries_);
  entries_.erase(repeated.begin(), repeated.end());
  auto writer = RunWriter::create(path);
  if (!writer) return std::unexpected(writer.error());
  std::vector<std::uint32_t> offsets;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto key = static_cast<FacetKey>(*entry >> 32U);
    offsets.clear();
    for (; entry != entries_.end() && static_cast<FacetKey>(*entry >> 32U) == key; ++entry)
      offsets.push_back(static_cast<std::uint32_t>(*entry & 0xffffffffU));
    if (auto added = writer->add(key, offsets); !added) return added;
  }
  return writer->finish(info);
}

Result<bool> merge_runs(std::span<const std::shared_ptr<const Run>> runs,
                        const std::filesystem::path& path, const Interrupted& interrupted) {
  auto sources = open_sources(runs);
  if (!sources) return std::unexpected(sources.error());
  auto writer = RunWriter::create(path);
  if (!writer) return std::unexpected(writer.error());
  std::vector<std::uint32_t> offsets;
  std::size_t keys = 0;
  while (const auto key = lowest_key(*sources)) {
    if (++keys % keys_between_looks == 0 && interrupted()) return false;
    if (auto taken = take_key(*sources, *key, offsets); !taken) {
      return std::unexpected(taken.error());
    }
    if (auto added = writer->add(*key, offsets); !added) return std::unexpected(added.error());
  }
  const auto& last = runs.back()->info();
  const RunInfo info{last.log_id, runs.front()->info().from, last.to, last.last_row_hash};
  if (auto finished = writer->finish(info); !finished) return std::unexpected(finished.error());
  return true;
}

}  // namespace annals::store::index
