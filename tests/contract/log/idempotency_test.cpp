#include <gmock/gmock.h>

#include "core/capability_mint.hpp"
#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

class IdempotencyContract : public LogContract {
 protected:
  static NewEvent event_with_id(std::uint64_t number, std::string payload = R"({"a":1.0})") {
    NewEvent event = simple_event("order.paid", "order-1");
    event.id = uuid_of(number);
    event.payload = std::move(payload);
    return event;
  }
};

TEST_P(IdempotencyContract, SameIdAgainGivesTheFirstResult) {
  const auto log = open_log();
  const auto first = log->append(log->local_admin(), event_with_id(1));
  ASSERT_TRUE(first);
  ASSERT_TRUE(log->append(log->local_admin(), event_with_id(2)));
  const auto again = log->append(log->local_admin(), event_with_id(1));
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_TRUE(again->duplicate);
  EXPECT_TRUE(again->events.front().duplicate);
  EXPECT_EQ(again->events.front().seq, first->events.front().seq);
  EXPECT_EQ(again->events.front().hash, first->events.front().hash);
  EXPECT_EQ(again->receipt, first->receipt);
  expect_verified(*log, 2);
}

TEST_P(IdempotencyContract, SameIdAfterAReopenGivesTheFirstResult) {
  Receipt receipt;
  {
    const auto log = open_log();
    receipt = log->append(log->local_admin(), event_with_id(1))->receipt;
  }
  const auto log = open_log();
  const auto again = log->append(log->local_admin(), event_with_id(1));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->receipt, receipt);
}

TEST_P(IdempotencyContract, WhitespaceAndWhatTheLogFilledInAreTheSameContent) {
  const auto log = open_log();
  AppendOptions traced;
  traced.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  ASSERT_TRUE(log->append(log->local_admin(), event_with_id(1), traced));
  clock_->advance(std::chrono::minutes{5});
  const auto again = log->append(log->local_admin(), event_with_id(1, R"({ "a" : 1.0 })"));
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_TRUE(again->duplicate);
}

TEST_P(IdempotencyContract, SameIdWithOtherContentIsAConflict) {
  const auto log = open_log();
  ASSERT_TRUE(log->append(log->local_admin(), event_with_id(1)));
  NewEvent label = event_with_id(1);
  label.labels["status"] = "x";
  NewEvent time = event_with_id(1);
  time.occurred_at = clock_->now() - std::chrono::hours{1};
  NewEvent type = event_with_id(1);
  type.type = "order.shipped";
  for (const NewEvent& other : {event_with_id(1, R"({"a":1.00})"), label, time, type}) {
    const auto result = log->append(log->local_admin(), other);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::id_conflict);
    const auto& known = std::get<KnownEvents>(result.error().details).events;
    ASSERT_EQ(known.size(), 1U);
    EXPECT_EQ(known.front().seq, 1U);
  }
  expect_verified(*log, 1);
}

TEST_P(IdempotencyContract, SameIdFromAnotherKeyIsAConflictThatTellsNoSeq) {
  const auto log = open_log();
  ASSERT_TRUE(log->append(log->local_admin(), event_with_id(1)));
  const auto other = CapabilityMint::mint(uuid_of(99), {"*"}, clock_->now()).value();
  const auto result = log->append(other, event_with_id(1));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::id_conflict);
  EXPECT_EQ(std::get<KnownEvents>(result.error().details).events.front().seq, 0U);
}

TEST_P(IdempotencyContract, SameIdTwiceInOneRequestIsInvalid) {
  const auto log = open_log();
  const auto result = log->append(log->local_admin(), {event_with_id(1), event_with_id(1)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::invalid_event);
  EXPECT_EQ(std::get<InvalidEvent>(result.error().details).violations.front().index, 1U);
}

TEST_P(IdempotencyContract, MixedBatchAppendsTheRest) {
  const auto log = open_log();
  ASSERT_TRUE(log->append(log->local_admin(), event_with_id(1)));
  const auto mixed = log->append(log->local_admin(), {event_with_id(1), event_with_id(2)});
  ASSERT_TRUE(mixed) << mixed.error().detail;
  EXPECT_FALSE(mixed->duplicate);
  EXPECT_TRUE(mixed->events[0].duplicate);
  EXPECT_EQ(mixed->events[0].seq, 1U);
  EXPECT_FALSE(mixed->events[1].duplicate);
  EXPECT_EQ(mixed->events[1].seq, 2U);
  EXPECT_EQ(mixed->receipt.head, 2U);
  expect_verified(*log, 2);
}

TEST_P(IdempotencyContract, MixedBatchWithAnExpectationIsPartlyKnown) {
  const auto log = open_log();
  ASSERT_TRUE(log->append(log->local_admin(), event_with_id(1)));
  AppendOptions options;
  options.expected_versions["order-1"] = {ExpectedVersion::Kind::exactly, 1};
  const auto mixed = log->append(log->local_admin(), {event_with_id(1), event_with_id(2)}, options);
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, ErrorCode::partly_known);
  EXPECT_EQ(std::get<KnownEvents>(mixed.error().details).events.front().index, 0U);
}

TEST_P(IdempotencyContract, KnownIdComesBeforeTheExpectedVersion) {
  const auto log = open_log();
  AppendOptions options;
  options.expected_versions["order-1"] = {ExpectedVersion::Kind::none, 0};
  ASSERT_TRUE(log->append(log->local_admin(), event_with_id(1), options));
  const auto again = log->append(log->local_admin(), event_with_id(1), options);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_TRUE(again->duplicate);
}

TEST_P(IdempotencyContract, IdempotencyKeyRepeatsTheFirstAnswer) {
  const auto log = open_log();
  AppendOptions options;
  options.idempotency_key = "request-1";
  const std::vector<NewEvent> events{simple_event(), simple_event("order.paid", "order-1")};
  const auto first = log->append(log->local_admin(), events, options);
  ASSERT_TRUE(first);
  ASSERT_TRUE(log->append(log->local_admin(), simple_event()));
  clock_->advance(std::chrono::hours{24 * 6});
  const auto again = log->append(log->local_admin(), events, options);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(*again, *first);
  expect_verified(*log, 3);

  clock_->advance(std::chrono::hours{25});
  const auto late = log->append(log->local_admin(), events, options);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->events.front().seq, 4U) << "the window is over";
}

TEST_P(IdempotencyContract, OtherRequestUnderAnIdempotencyKeyIsRefused) {
  const auto log = open_log();
  AppendOptions options;
  options.idempotency_key = "request-1";
  ASSERT_TRUE(log->append(log->local_admin(), simple_event(), options));
  const auto other = log->append(log->local_admin(), simple_event("order.shipped"), options);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::idempotency_mismatch);

  const auto key = CapabilityMint::mint(uuid_of(99), {"*"}, clock_->now()).value();
  EXPECT_TRUE(log->append(key, simple_event("order.shipped"), options))
      << "keys do not share idempotency keys";
}

TEST_P(IdempotencyContract, ClientMessageIdIsUniquePerKeyWithinTheWindow) {
  const auto log = open_log();
  NewEvent event = simple_event();
  event.client_msg_id = "message-1";
  const auto first = log->append(log->local_admin(), event);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->events.front().client_msg_id, "message-1");
  const auto again = log->append(log->local_admin(), event);
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->events.front().id, first->events.front().id);

  NewEvent other = event;
  other.payload = R"({"b":2})";
  const auto conflict = log->append(log->local_admin(), other);
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().code, ErrorCode::client_msg_id_conflict);

  const auto key = CapabilityMint::mint(uuid_of(99), {"*"}, clock_->now()).value();
  EXPECT_FALSE(log->append(key, other)->duplicate);

  clock_->advance(std::chrono::hours{24 * 7 + 1});
  const auto later = log->append(log->local_admin(), other);
  ASSERT_TRUE(later) << later.error().detail;
  EXPECT_FALSE(later->duplicate);
}

TEST_P(IdempotencyContract, WhatIsOutOfTheWindowDoesNotStayInTheStore) {
  const auto log = open_log();
  AppendOptions first;
  first.idempotency_key = "request-1";
  ASSERT_TRUE(log->append(log->local_admin(), simple_event(), first));
  const auto kept = [&] {
    auto transaction = log->store().begin_write(std::chrono::seconds{5}).value();
    const Uuid writer = log->local_admin().holder();
    return transaction->admin().answer(writer, "request-1").value().has_value();
  };
  ASSERT_TRUE(kept());
  clock_->advance(std::chrono::hours{24 * 7 + 1});
  AppendOptions second;
  second.idempotency_key = "request-2";
  ASSERT_TRUE(log->append(log->local_admin(), simple_event(), second));
  EXPECT_FALSE(kept());
}

TEST_P(IdempotencyContract, RepeatsInFlightSeeTheFirstOnesOutcome) {
  const auto log = open_log();
  std::atomic<int> duplicates = 0;
  std::atomic<int> firsts = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&] {
      const auto result = log->append(log->local_admin(), event_with_id(1));
      if (result) ++(result->duplicate ? duplicates : firsts);
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(firsts, 1);
  EXPECT_EQ(duplicates, 31);
  expect_verified(*log, 1);
}

class ExpectedVersionContract : public LogContract {};

TEST_P(ExpectedVersionContract, EachKindHoldsAndFails) {
  const auto log = open_log();
  using Kind = ExpectedVersion::Kind;
  const auto append = [&](ExpectedVersion expected) {
    AppendOptions options;
    options.expected_versions["order-1"] = expected;
    return log->append(log->local_admin(), simple_event("order.paid", "order-1"), options);
  };
  EXPECT_FALSE(append({Kind::exists, 0}));
  EXPECT_FALSE(append({Kind::exactly, 1}));
  EXPECT_TRUE(append({Kind::exactly, 0}));
  EXPECT_TRUE(append({Kind::exactly, 1}));
  EXPECT_TRUE(append({Kind::exists, 0}));
  EXPECT_TRUE(append({Kind::any, 0}));
  EXPECT_FALSE(append({Kind::none, 0}));
  expect_verified(*log, 4);
}

TEST_P(ExpectedVersionContract, ConflictNamesEveryStreamWithItsActualVersion) {
  const auto log = open_log();
  const auto first = log->append(log->local_admin(), simple_event("order.paid", "order-1"));
  ASSERT_TRUE(first);
  AppendOptions options;
  options.expected_versions["order-1"] = {ExpectedVersion::Kind::none, 0};
  options.expected_versions["order-2"] = {ExpectedVersion::Kind::exists, 0};
  options.expected_versions["order-3"] = {ExpectedVersion::Kind::none, 0};
  const auto result =
      log->append(log->local_admin(),
                  {simple_event("order.paid", "order-1"), simple_event("order.paid", "order-2"),
                   simple_event("order.paid", "order-3")},
                  options);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::version_conflict);
  const auto& streams = std::get<VersionConflict>(result.error().details).streams;
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(streams[0], (StreamVersion{"order-1", 1, first->events.front().hash}));
  EXPECT_EQ(streams[1], (StreamVersion{"order-2", 0, std::nullopt}));
  expect_verified(*log, 1);
}

TEST_P(ExpectedVersionContract, OneWinnerAmongConcurrentExpectations) {
  const auto log = open_log();
  std::atomic<int> winners = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&] {
      AppendOptions options;
      options.expected_versions["order-1"] = {ExpectedVersion::Kind::none, 0};
      const auto result =
          log->append(log->local_admin(), simple_event("order.paid", "order-1"), options);
      if (result) {
        ++winners;
      } else {
        EXPECT_EQ(result.error().code, ErrorCode::version_conflict);
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(winners, 1);
  expect_verified(*log, 1);
}

INSTANTIATE_TEST_SUITE_P(Stores, IdempotencyContract,
                         testing::Values(memory_backend(), sqlite_backend()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Stores, ExpectedVersionContract,
                         testing::Values(memory_backend(), sqlite_backend()), name_of_test);

}  // namespace
}  // namespace annals::test
