#pragma once

#include <cstdint>
#include <vector>

#include "annals/event.hpp"
#include "annals/filter.hpp"
#include "annals/read.hpp"
#include "annals/record.hpp"
#include "log/ports/store.hpp"
#include "testing/random.hpp"

namespace annals::test {

/// Random filters that match something now and then: their values are those of events, few and
/// repeated. Used on one thread.
class FilterGen {
 public:
  explicit FilterGen(std::uint64_t seed) : random_(seed) {}

  /// Gives events types, scopes, actors, resources and labels out of small sets, here and there, so
  /// that filters match several of them.
  std::vector<NewEvent> shape(std::vector<NewEvent> events);

  /// One to three members, each with the value that `like` has or, sometimes, one of another event.
  Filter filter(const Record& like);

 private:
  void set_member(Filter& filter, const Record& like);

  Random random_;
};

/// The numbers that a reader gets who reads the whole log in filtered pages of random sizes. Throws
/// std::runtime_error when a page fails or does not get on.
std::vector<std::uint64_t> walk(log::EventReader& events, const Filter& filter, Order order,
                                Random& random);

}  // namespace annals::test
