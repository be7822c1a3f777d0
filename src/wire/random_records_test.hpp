#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "annals/record.hpp"
#include "core/placement.hpp"
#include "core/validate.hpp"
#include "testing/event_gen.hpp"
#include "wire/minimal_record_test.hpp"

namespace annals::wire {

/// A record and the bound of its envelope without the payload.
struct RandomRecord {
  Record record;
  std::size_t envelope_bound = 0;
};

/// Records of random valid events, as a log would make them.
inline std::vector<RandomRecord> random_records(std::uint64_t seed, std::size_t count) {
  test::EventGen events{seed};
  const auto rules =
      core::EventRules::make(EventOptions{}, std::make_shared<const core::Catalogue>());
  const auto trace =
      core::parse_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  core::Placer placer{LogState{.log_id = uuid(9)}, *parse_timestamp("2026-01-02T03:04:05Z")};
  std::vector<RandomRecord> records;
  while (records.size() < count) {
    std::vector<Violation> violations;
    auto valid = core::validate(events.event(), 0, *rules, core::Origin::producer,
                                records.size() % 2 == 0 ? trace : std::nullopt, violations);
    if (!valid) {
      ADD_FAILURE() << violations.front().pointer << ' ' << violations.front().rule;
      return records;
    }
    const std::size_t bound = core::envelope_bound(*valid);
    const auto draft = core::make_draft(std::move(*valid), events.uuid(), uuid(8), {}, {});
    if (draft.event.stream && !placer.knows(*draft.event.stream)) {
      placer.set_head(*draft.event.stream, std::nullopt);
    }
    records.push_back({placer.place(draft), bound});
  }
  return records;
}

}  // namespace annals::wire
