#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "annals/event_log.hpp"
#include "testing/contract/store_fixture.hpp"
#include "testing/fake_clock.hpp"
#include "testing/forwarding_store.hpp"

namespace annals::test {

/// Names a test by its backend.
inline std::string name_of_test(const testing::TestParamInfo<StoreBackend>& tested) {
  return tested.param.name;
}

/// A place for one log that outlives the EventLog objects which open it, on either backend.
class LogContract : public testing::TestWithParam<StoreBackend> {
 protected:
  /// A new store object on this test's place.
  std::unique_ptr<log::Store> make_store() { return place_->make(); }

  /// An open log on this test's place; a failure to open fails the test.
  std::unique_ptr<EventLog> open_log(LogOptions options = {}) {
    auto log = std::make_unique<EventLog>(make_store(), std::move(options), clock_);
    const auto opened = log->open();
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().detail);
    return log;
  }

  /// An open log through a store whose calls are counted and can be made to fail.
  std::unique_ptr<EventLog> open_probed(std::shared_ptr<StoreProbe> probe,
                                        LogOptions options = {}) {
    auto store = std::make_unique<ForwardingStore>(make_store(), std::move(probe));
    auto log = std::make_unique<EventLog>(std::move(store), std::move(options), clock_);
    const auto opened = log->open();
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().detail);
    return log;
  }

  [[nodiscard]] std::filesystem::path file() const { return place_->file(); }

  /// Proves the whole log and the number of its events.
  static void expect_verified(const EventLog& log, std::uint64_t events) {
    const auto report = log.verify({});
    ASSERT_TRUE(report) << report.error().detail;
    EXPECT_TRUE(report->clean()) << report->findings.front().verdict << " "
                                 << report->findings.front().what;
    EXPECT_EQ(report->events, events);
    EXPECT_EQ(report->head, events);
  }

  std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();

 private:
  std::unique_ptr<StoreFixture> place_ = GetParam().make();
};

/// An event with the least that is needed.
inline NewEvent simple_event(std::string type = "order.paid",
                             std::optional<std::string> stream = std::nullopt) {
  NewEvent event;
  event.type = std::move(type);
  event.stream = std::move(stream);
  return event;
}

/// A UUID that is different for every number.
inline Uuid uuid_of(std::uint64_t number) {
  Uuid uuid;
  for (unsigned i = 0; i < 8; ++i) {
    uuid.bytes.at(15 - i) = static_cast<std::uint8_t>(number >> (8U * i));
  }
  uuid.bytes[6] = 0x40;
  uuid.bytes[8] = 0x80;
  uuid.bytes[0] = 0x01;
  return uuid;
}

}  // namespace annals::test
