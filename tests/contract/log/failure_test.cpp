#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <thread>

#include "core/capability_mint.hpp"
#include "testing/contract/sequence_statements.hpp"
#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

/// What the log does when the store fails or is not even there.
class FailureContract : public LogContract {
 protected:
  static bool names_type(const core::Placement& placement, std::string_view type) {
    return std::ranges::any_of(placement.records,
                               [&](const Record& record) { return record.header.type == type; });
  }
};

TEST_P(FailureContract, ConstructingTouchesNothing) {
  const auto probe = std::make_shared<StoreProbe>();
  probe->forbidden = true;
  {
    const EventLog log(std::make_unique<ForwardingStore>(make_store(), probe), {}, clock_);
    EXPECT_EQ(log.hooks().size(), 1U);
  }
  EXPECT_EQ(probe->forbidden_touches, 0U);
  EXPECT_TRUE(file().empty() || !std::filesystem::exists(file()));
}

TEST_P(FailureContract, RefusedCapabilityNeverReachesTheStore) {
  const auto probe = std::make_shared<StoreProbe>();
  const auto log = open_probed(probe);
  probe->forbidden = true;
  const auto capability = CapabilityMint::mint(uuid_of(1), {"query.*"}, clock_->now()).value();
  EXPECT_EQ(log->append(capability, simple_event("order.paid")).error().code,
            ErrorCode::not_allowed);
  EXPECT_EQ(log->enqueue(capability, {simple_event("order.paid")}).error().code,
            ErrorCode::not_allowed);
  NewEvent invalid = simple_event("query.started");
  invalid.payload = "[]";
  EXPECT_EQ(log->append(capability, invalid).error().code, ErrorCode::invalid_event);
  EXPECT_EQ(probe->forbidden_touches, 0U);
}

TEST_P(FailureContract, CachedHeadsAreReadOnceAndOnlyAMissReads) {
  LogOptions options;
  options.chain_head_cache = 200;
  const auto probe = std::make_shared<StoreProbe>();
  const auto log = open_probed(probe, options);
  const auto append = [&](int stream) {
    const auto before = probe->head_reads.load();
    EXPECT_TRUE(log->append(log->local_admin(),
                            simple_event("order.paid", "stream-" + std::to_string(stream))));
    return probe->head_reads.load() - before;
  };
  for (int i = 1; i <= 200; ++i)
    EXPECT_EQ(append(i), 1U) << "absence is never cached";
  for (int i = 1; i <= 200; ++i)
    EXPECT_EQ(append(i), 0U) << i;
  EXPECT_EQ(append(201), 1U) << "a new stream is one read";
  EXPECT_EQ(append(1), 1U) << "the least recently appended one has gone";
  EXPECT_EQ(append(201), 0U);
  EXPECT_EQ(append(3), 0U);
  EXPECT_EQ(append(2), 1U) << "it went when stream 1 came back";
  expect_verified(*log, 200 + 200 + 5);
}

TEST_P(FailureContract, FailingInsertLeavesRowsStateAndCacheAsTheyWere) {
  const auto probe = std::make_shared<StoreProbe>();
  std::atomic<bool> broken = false;
  probe->before_append = [&](const core::Placement&) -> Result<void> {
    if (broken) return fail(ErrorCode::store_unavailable, "disk on fire");
    return {};
  };
  const auto log = open_probed(probe);
  ASSERT_TRUE(log->append(log->local_admin(), simple_event("order.paid", "order-1")));
  const auto state = log->state();
  broken = true;
  const auto failed = log->append(log->local_admin(), simple_event("order.paid", "order-1"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::store_unavailable);
  EXPECT_EQ(log->state(), state);
  broken = false;
  const auto next = log->append(log->local_admin(), simple_event("order.paid", "order-1"));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->events.front().seq, 2U);
  EXPECT_EQ(next->events.front().stream_seq, 2U);
  expect_verified(*log, 2);
}

TEST_P(FailureContract, PoisonRequestFailsAloneOnceAndAtOnce) {
  const auto probe = std::make_shared<StoreProbe>();
  std::atomic<int> poison_attempts = 0;
  probe->before_append = [&](const core::Placement& placement) -> Result<void> {
    if (!names_type(placement, "poison.event")) return {};
    if (placement.records.size() == 1) ++poison_attempts;
    return fail(ErrorCode::invalid_event, "the row is refused");
  };
  const auto log = open_probed(probe);
  // A unit holds the write lock until everybody is queued, so that they share one group.
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit);
  constexpr int good = 200;
  std::atomic<int> stored = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> answered = 0;
  for (int i = 0; i <= good; ++i) {
    log->append_async(log->local_admin(), {simple_event(i == 100 ? "poison.event" : "good.event")},
                      {}, [&](const Result<AppendResult>& result) {
                        ++(result ? stored : refused);
                        ++answered;
                        answered.notify_all();
                      });
  }
  ASSERT_TRUE(unit->commit());
  for (int seen = answered; seen <= good; seen = answered)
    answered.wait(seen);
  EXPECT_EQ(stored, good);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(poison_attempts, 1);
  expect_verified(*log, good);
}

TEST_P(FailureContract, EventsOnlyQueuedAreTriedAgainInOrder) {
  const auto probe = std::make_shared<StoreProbe>();
  std::atomic<bool> full = true;
  probe->before_append = [&](const core::Placement&) -> Result<void> {
    if (full) return fail(ErrorCode::store_full, "no space");
    return {};
  };
  const auto log = open_probed(probe);
  std::vector<Uuid> ids;
  for (int i = 0; i < 5; ++i) {
    const auto queued = log->enqueue(log->local_admin(), {simple_event("queued.event")});
    ASSERT_TRUE(queued);
    ids.push_back(queued->front());
  }
  const auto failed = log->flush();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::store_full);
  EXPECT_EQ(log->append(log->local_admin(), simple_event("waiting.event")).error().code,
            ErrorCode::store_full);
  full = false;
  while (!log->flush())
    std::this_thread::yield();
  const auto page = log->read({});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->records.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(page->records[i].header.id, ids[i]);
}

TEST_P(FailureContract, StopMakesALastAttemptAndSaysWhatIsLost) {
  const auto probe = std::make_shared<StoreProbe>();
  probe->before_append = [](const core::Placement&) -> Result<void> {
    return fail(ErrorCode::store_full, "no space");
  };
  auto log = open_probed(probe);
  ASSERT_TRUE(log->enqueue(log->local_admin(), {simple_event()}));
  const auto stopped = log->stop();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::store_full);
  EXPECT_EQ(log->append(log->local_admin(), simple_event()).error().code,
            ErrorCode::store_unavailable);
  EXPECT_EQ(log->state().error().code, ErrorCode::store_unavailable);
}

TEST_P(FailureContract, StopDrains) {
  auto log = open_log();
  constexpr int queued = 500;
  for (int i = 0; i < queued; ++i) {
    ASSERT_TRUE(log->enqueue(log->local_admin(), {simple_event()}));
  }
  ASSERT_TRUE(log->stop());
  expect_verified(*open_log(), queued);
}

TEST_P(FailureContract, FullQueueMakesCallersWaitAndStoresWhatItAccepted) {
  LogOptions options;
  options.append.queue_max_bytes = 4096;
  const auto log = open_log(options);
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit);
  constexpr int writers = 32;
  std::atomic<int> accepted = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; ++i) {
    threads.emplace_back([&] {
      NewEvent event = simple_event();
      event.payload = "{\"a\":\"" + std::string(1000, 'x') + "\"}";
      if (log->append(log->local_admin(), event)) ++accepted;
    });
  }
  ASSERT_TRUE(unit->commit());
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(accepted, writers);
  expect_verified(*log, writers);
}

TEST_P(FailureContract, FullQueueIsBusyAfterItsTimeout) {
  LogOptions options;
  options.append.queue_max_bytes = 1;
  options.append.queue_timeout = std::chrono::milliseconds{1};
  const auto log = open_log(options);
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit);
  constexpr int requests = 20;
  std::atomic<int> answered = 0;
  std::atomic<int> accepted = 0;
  for (int i = 0; i < requests; ++i) {
    log->append_async(log->local_admin(), {simple_event()}, {},
                      [&](const Result<AppendResult>& result) {
                        if (result) {
                          ++accepted;
                        } else {
                          EXPECT_EQ(result.error().code, ErrorCode::busy);
                        }
                        ++answered;
                        answered.notify_all();
                      });
  }
  // Nobody answers later than the write lock and the queue allow, although the unit stays open.
  for (int seen = answered; seen < requests; seen = answered)
    answered.wait(seen);
  unit->rollback();
  EXPECT_EQ(log->state()->event_seq, static_cast<std::uint64_t>(accepted));
}

TEST_P(FailureContract, DroppedRequestsAreCountedAndReportedOnce) {
  LogOptions options;
  options.append.queue_max_bytes = 1;
  const auto log = open_log(options);
  auto unit = log->begin(log->local_admin());
  ASSERT_TRUE(unit);
  AppendOptions drop;
  drop.ack = Ack::queued;
  drop.overflow = Overflow::drop;
  std::uint64_t refused = 0;
  for (int i = 0; i < 50; ++i) {
    log->append_async(log->local_admin(), {simple_event()}, drop,
                      [&](const Result<AppendResult>& result) { refused += result ? 0 : 1; });
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(log->dropped(), refused);
  ASSERT_TRUE(unit->commit());
  ASSERT_TRUE(log->flush());
  const std::uint64_t accepted = 50 - refused;
  ASSERT_EQ(log->wait_after(accepted, std::chrono::seconds{10}), accepted + 1);
  const auto report = log->find(accepted + 1);
  EXPECT_EQ(report->header.type, "log.dropped");
  EXPECT_EQ(payload_of(*report), "{\"events\":" + std::to_string(refused) + "}");
  ASSERT_TRUE(log->append(log->local_admin(), simple_event()));
  expect_verified(*log, accepted + 2);
}

TEST_P(FailureContract, CriticalTypeIsNeverOnlyQueued) {
  const auto log = open_log();
  ASSERT_TRUE(log->apply_catalogue(log->local_admin(),
                                   R"({"types":[{"pattern":"alarm.raised","critical":true}]})"));
  AppendOptions queued;
  queued.ack = Ack::queued;
  ASSERT_TRUE(log->enqueue(log->local_admin(), {simple_event("order.paid", "order-1")}));
  const auto result =
      log->append(log->local_admin(), simple_event("alarm.raised", "order-1"), queued);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->durable);
  EXPECT_EQ(result->events.front().seq, 3U);
  EXPECT_EQ(result->events.front().stream_seq, 2U) << "what was queued before comes before";
}

TEST_P(FailureContract, LostAnswerOfACommitIsFoundOutByIds) {
  const auto probe = std::make_shared<StoreProbe>();
  std::atomic<bool> lose = true;
  probe->after_commit = [&]() -> Result<void> {
    if (lose.exchange(false)) return fail(ErrorCode::commit_unknown, "connection lost");
    return {};
  };
  const auto log = open_probed(probe);
  const auto stored = log->append(log->local_admin(), simple_event("order.paid", "order-1"));
  ASSERT_TRUE(stored) << stored.error().detail;
  EXPECT_EQ(stored->events.front().seq, 1U);
  ASSERT_TRUE(log->append(log->local_admin(), simple_event("order.paid", "order-1")));
  expect_verified(*log, 2);
}

/// A store that loses its connection in one commit: `before` it happens or after.
enum class Lost : std::uint8_t { before, after };

std::shared_ptr<StoreProbe> losing_one_commit(Lost when, std::shared_ptr<std::atomic<bool>> lose) {
  const auto probe = std::make_shared<StoreProbe>();
  (when == Lost::before ? probe->before_commit : probe->after_commit) = [lose]() -> Result<void> {
    if (lose->exchange(false)) return fail(ErrorCode::commit_unknown, "connection lost");
    return {};
  };
  return probe;
}

TEST_P(FailureContract, CommitThatIsNotFoundStaysUnknownUntilItsIdsAreRepeated) {
  const auto lose = std::make_shared<std::atomic<bool>>(true);
  const auto log = open_probed(losing_one_commit(Lost::before, lose));
  NewEvent event = simple_event("order.paid", "order-1");
  event.id = uuid_of(7);
  const auto lost = log->append(log->local_admin(), event);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::commit_unknown);
  const auto repeated = log->append(log->local_admin(), event);
  ASSERT_TRUE(repeated) << repeated.error().detail;
  EXPECT_FALSE(repeated->duplicate);
  expect_verified(*log, 1);
}

TEST_P(FailureContract, QueuedEventsSurviveACommitOfUnknownOutcomeOnce) {
  for (const Lost when : {Lost::before, Lost::after}) {
    SCOPED_TRACE(when == Lost::before ? "before" : "after");
    const auto lose = std::make_shared<std::atomic<bool>>(false);
    const auto probe = losing_one_commit(when, lose);
    // Nothing can be looked up either until the first attempt has failed.
    std::atomic<bool> blind = false;
    probe->before_read = [&]() -> Result<void> {
      if (blind) return fail(ErrorCode::store_unavailable, "connection lost");
      return {};
    };
    const auto log = open_probed(probe);
    const auto before = log->state()->event_seq;
    blind = true;
    *lose = true;
    const auto queued = log->enqueue(log->local_admin(), {simple_event("queued.event")});
    ASSERT_TRUE(queued);
    const auto failed = log->flush();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::commit_unknown);
    blind = false;
    while (!log->flush())
      std::this_thread::yield();
    const auto found = log->find(before + 1);
    ASSERT_TRUE(found) << found.error().detail;
    EXPECT_EQ(found->header.id, queued->front());
    expect_verified(*log, before + 1);
  }
}

TEST_P(FailureContract, ChangesOfKeysAndCatalogueAreLookedUpWhenTheirCommitIsUnknown) {
  constexpr std::string_view catalogue = R"({"types":[{"pattern":"alarm.raised"}]})";
  const auto lose = std::make_shared<std::atomic<bool>>(true);
  const auto log = open_probed(losing_one_commit(Lost::after, lose));
  const auto created =
      log->create_key(log->local_admin(), {"alex", {"*"}, {ReadGrant::all()}, {}, {}});
  ASSERT_TRUE(created) << created.error().detail;
  EXPECT_TRUE(log->authenticate(created->secret));
  *lose = true;
  EXPECT_TRUE(log->revoke_key(log->local_admin(), "alex"));
  EXPECT_FALSE(log->authenticate(created->secret));
  *lose = true;
  EXPECT_EQ(log->apply_catalogue(log->local_admin(), catalogue), true);
  expect_verified(*log, 3);
}

TEST_P(FailureContract, ChangesOfKeysThatAreNotFoundStayUnknown) {
  const auto lose = std::make_shared<std::atomic<bool>>(true);
  const auto log = open_probed(losing_one_commit(Lost::before, lose));
  const NewKey key{"alex", {"*"}, {ReadGrant::all()}, {}, {}};
  EXPECT_EQ(log->create_key(log->local_admin(), key).error().code, ErrorCode::commit_unknown);
  EXPECT_TRUE(log->create_key(log->local_admin(), key));
  expect_verified(*log, 1);
}

TEST_P(FailureContract, CallersWhoWereAnsweredAreNotHeldUp) {
  const auto probe = std::make_shared<StoreProbe>();
  probe->before_append = [](const core::Placement&) -> Result<void> {
    return fail(ErrorCode::store_full, "no space");
  };
  const auto log = open_probed(probe);
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(log->append(log->local_admin(), simple_event()).error().code, ErrorCode::store_full);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{10})
      << "with the pauses of queued events these would take more than 20 s";
}

const bool checked = (expect_one_statement_advances_the_sequence(), true);

INSTANTIATE_TEST_SUITE_P(Stores, FailureContract,
                         testing::Values(memory_backend(), sqlite_backend()), name_of_test);

}  // namespace
}  // namespace annals::test
