#pragma once

#include <chrono>

#include "bench/measures.hpp"

namespace annals::bench {

/// The measures; see the table in measures.cpp for what each is.
Result<Figures> sync_disk(const Bench& bench);
Result<Figures> append_single(const Bench& bench);
Result<Figures> append_batches(const Bench& bench);
Result<Figures> append_in_flight(const Bench& bench);
Result<Figures> append_threads(const Bench& bench);
Result<Figures> append_for_a_minute(const Bench& bench);
Result<Figures> append_to_a_large_log(const Bench& bench);
Result<Figures> append_paced_durable(const Bench& bench);
Result<Figures> append_paced_queued(const Bench& bench);
Result<Figures> read_forward(const Bench& bench);
Result<Figures> verify_log(const Bench& bench);
Result<Figures> find_label(const Bench& bench);

/// Seconds on the steady clock.
inline double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

/// Nothing when the log holds exactly `count` events and proves itself, else `store_corrupt`.
Result<void> check_log(const EventLog& log, std::uint64_t count);

}  // namespace annals::bench
