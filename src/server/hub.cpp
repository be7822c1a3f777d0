#include "server/hub.hpp"

#include <algorithm>
#include <cstddef>

namespace annals::server {

namespace {

constexpr std::size_t run_bytes = std::size_t{256} * 1024;

bool changes_access(const Record& record) {
  return record.header.type.starts_with("access.");
}

}  // namespace

Result<void> AccessSink::deliver(std::span<const Record> records) {
  if (std::ranges::none_of(records, changes_access)) return {};
  if (auto refreshed = access_.refresh(); !refreshed) return refreshed;
  news_.publish(access_.state());
  return {};
}

Result<void> Hub::deliver(std::span<const Record> records) {
  if (!listeners_()) {
    news_.publish(records.back().header.seq);
    return {};
  }
  std::vector<FrameRunPtr> runs;
  while (!records.empty()) {
    // One behind the first, not the last delivered: what lies between was not encoded.
    const std::uint64_t after = runs.empty() ? records.front().header.seq - 1 : runs.back()->last();
    auto run = FrameRun::encode(records, after, {run_bytes, true});
    if (!run) return std::unexpected(run.error());
    records = records.subspan((*run)->records());
    runs.push_back(std::move(*run));
  }
  news_.publish(runs);
  return {};
}

}  // namespace annals::server
