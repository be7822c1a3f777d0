#pragma once

#include <cstddef>
#include <optional>

#include "annals/verify.hpp"
#include "log/ports/store.hpp"
#include "log/verify/facts.hpp"
#include "log/verify/findings.hpp"
#include "log/verify/range.hpp"

namespace annals::log {

/// What one pass over the log verifies. Plain value.
struct PassPlan {
  LogFacts facts;
  SeqRange whole;
  Receipt base;  ///< The running hash before `whole.first`.
  std::optional<Receipt> expect;
  Partition partition;
  bool may_split = true;  ///< Stop when the streams do not fit in memory.
  std::size_t memory_bytes = 0;
  unsigned threads = 1;
};

/// What a pass found. Counts are those of the partition.
struct PassOutcome {
  VerifyReport report;  ///< Without findings.
  Findings findings;
  bool too_many_streams = false;  ///< Nothing else holds: repeat with smaller partitions.
};

/// Verifies one partition and tells `progress`, which must not be empty, after each range. The pass
/// with residue 0 also verifies what concerns the log as a whole.
[[nodiscard]] PassOutcome verify_partition(EventReader& reader, const PassPlan& plan,
                                           std::size_t max_findings,
                                           const VerifyProgress& progress);

}  // namespace annals::log
