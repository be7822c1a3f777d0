#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "annals/event.hpp"
#include "core/placement.hpp"
#include "core/validate.hpp"
#include "log/ports/store.hpp"
#include "testing/fake_clock.hpp"
#include "testing/fake_ids.hpp"

namespace annals::test {

/// Writes events into a store the way the log does, without the log: validates, draws salts, reads
/// state and heads in the transaction, places, appends. Used on one thread.
class EventWriter {
 public:
  /// `seed` decides ids and salts.
  explicit EventWriter(std::uint64_t seed);

  /// An event with a small payload; an empty stream leaves it unchained.
  static NewEvent event(std::string stream = {});
  static std::vector<NewEvent> events(std::size_t count, const std::string& stream = {});

  /// What an append of `events` by the log would write in this transaction. Throws
  /// std::runtime_error when a rule of events is broken or the store fails.
  core::Placement place(log::WriteTransaction& transaction, const std::vector<NewEvent>& events);

  /// One transaction with one placement. Throws std::runtime_error when anything fails.
  core::Placement append(log::Store& store, const std::vector<NewEvent>& events);

  /// The identity of a new log.
  log::NewLog new_log();

  FakeClock& clock() noexcept { return clock_; }
  FakeIds& ids() noexcept { return ids_; }

 private:
  FakeClock clock_;
  FakeIds ids_;
  core::EventRules rules_;
};

}  // namespace annals::test
