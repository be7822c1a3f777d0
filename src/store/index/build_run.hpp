#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "annals/record.hpp"
#include "store/index/run.hpp"

namespace annals::store::index {

/// Asked now and then; true ends the work early.
using Interrupted = std::function<bool()>;

/// Collects the keys of events and writes them as a run. Used on one thread.
class RunBuilder {
 public:
  /// Events from number `from` on, fewer than `Run::max_span` numbers.
  explicit RunBuilder(std::uint64_t from) : from_(from) {}

  /// The next event, in the order of seq.
  void add(const Header& header, const Meta& meta);

  /// Writes the file. `info.from` is what the builder was made with.
  Result<void> write(const std::filesystem::path& path, const RunInfo& info);

 private:
  std::uint64_t from_;
  std::vector<std::uint64_t> entries_;  ///< Key and offset, so that sorting groups by key.
  std::vector<FacetKey> keys_;
};

/// Writes neighbouring runs, in order, as one. False when interrupted: nothing was written.
Result<bool> merge_runs(std::span<const std::shared_ptr<const Run>> runs,
                        const std::filesystem::path& path, const Interrupted& interrupted);

}  // namespace annals::store::index
