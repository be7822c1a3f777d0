#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "annals/event_log.hpp"
#include "annals/result.hpp"
#include "bench/latencies.hpp"

namespace annals::bench {

/// What a measure found. Plain value.
struct Figures {
  std::uint64_t events = 0;  ///< Or whatever it counts: syncs, queries.
  double seconds = 0;
  std::optional<Percentiles> latency;  ///< Of single requests, where there are such.

  [[nodiscard]] double rate() const noexcept {
    return seconds > 0 ? static_cast<double>(events) / seconds : 0;
  }
};

/// What a measure works on.
struct Bench {
  /// A folder for its files; those of an earlier measure are there when it reads them.
  std::filesystem::path folder;
  std::uint64_t count = 0;  ///< How many events, syncs or queries.

  /// Opens the log in the folder, making it when there is none.
  std::function<Result<std::unique_ptr<EventLog>>()> open;
};

/// What a measure does with the log in its folder.
enum class UseOfLog : std::uint8_t {
  none,    ///< It measures the disk alone.
  writes,  ///< It fills one of its own.
  reads,   ///< It reads the one that `append-batch` wrote.
};

/// One thing that is measured. Each checks what it did: every event counted and in order, the whole
/// log verified. `store_corrupt` when that fails, else the log's errors.
struct Measure {
  std::string_view name;   ///< Of `--measure` and of reports.
  std::string_view title;  ///< For people.
  UseOfLog log;
  std::uint64_t count;    ///< What an ordinary run measures.
  bool usual;             ///< Part of a run that names no measure.
  std::string_view unit;  ///< What is counted.
  Result<Figures> (*run)(const Bench&);
};

/// All of them, in the order to run them in.
std::span<const Measure> measures();

}  // namespace annals::bench
