#include "bench/measures.hpp"

#include <array>

#include "bench/runs.hpp"

namespace annals::bench {

std::span<const Measure> measures() {
  using enum UseOfLog;
  static constexpr std::array<Measure, 12> all{{
      {"sync", "sync of 8 KiB", none, 2000, true, "syncs", sync_disk},
      {"append-single", "append, one at a time", writes, 4000, true, "events", append_single},
      {"append-batch", "append, batches of 1,000", writes, 200'000, true, "events", append_batches},
      {"append-in-flight", "append, 256 in flight", writes, 200'000, true, "events",
       append_in_flight},
      {"append-threads", "append, 256 threads", writes, 100'000, true, "events", append_threads},
      {"append-paced", "append, 3,000 a second offered", writes, 15'000, true, "events",
       append_paced_durable},
      {"append-queued", "the same, only queued", writes, 15'000, true, "events",
       append_paced_queued},
      {"append-minute", "append, 256 in flight, so many seconds", writes, 60, false, "events",
       append_for_a_minute},
      {"append-large", "append, 256 in flight, the last 100,000", writes, 1'000'000, false,
       "events", append_to_a_large_log},
      {"read", "read forward", reads, 0, true, "events", read_forward},
      {"verify", "verify", reads, 0, true, "events", verify_log},
      {"find", "find one label value in 100,000", reads, 200, true, "queries", find_label},
  }};
  return all;
}

}  // namespace annals::bench
