#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "core/canonical.hpp"
#include "core/capability_mint.hpp"
#include "core/hash.hpp"
#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

class AppendContract : public LogContract {};

TEST_P(AppendContract, FiveAppendsGetOneToFive) {
  const auto log = open_log();
  for (std::uint64_t seq = 1; seq <= 5; ++seq) {
    const auto result = log->append(log->local_admin(), simple_event());
    ASSERT_TRUE(result) << result.error().detail;
    EXPECT_EQ(result->events.front().seq, seq);
    EXPECT_EQ(result->receipt.head, seq);
    EXPECT_TRUE(result->durable);
  }
  expect_verified(*log, 5);
}

TEST_P(AppendContract, NewLogIsEmpty) {
  const auto log = open_log();
  const auto state = log->state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->event_seq, 0U);
  EXPECT_EQ(state->permission_version, 0U);
  EXPECT_EQ(state->log_hash, Digest{});
  expect_verified(*log, 0);
}

TEST_P(AppendContract, ReturnedIdIsTheStoredOne) {
  const auto log = open_log();
  const auto made = log->append(log->local_admin(), simple_event());
  ASSERT_TRUE(made);
  NewEvent with_id = simple_event();
  with_id.id = uuid_of(7);
  const auto given = log->append(log->local_admin(), with_id);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->events.front().id, uuid_of(7));
  for (const auto& result : {*made, *given}) {
    const auto record = log->find(result.events.front().seq);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->header.id, result.events.front().id);
    EXPECT_EQ(record->row_hash, result.events.front().hash);
    const auto by_id = log->find(result.events.front().id);
    ASSERT_TRUE(by_id);
    EXPECT_EQ(by_id->header.seq, result.events.front().seq);
  }
}

TEST_P(AppendContract, FirstChainedAndUnchainedEventsHashAsDocumented) {
  const auto log = open_log();
  std::vector<NewEvent> events{simple_event("order.paid", "order-1"),
                               simple_event("order.paid", "order-1"), simple_event()};
  ASSERT_TRUE(log->append(log->local_admin(), events));
  const auto first = log->find(1);
  const auto chained = log->find(2);
  const auto unchained = log->find(3);
  ASSERT_TRUE(first && chained && unchained);

  EXPECT_FALSE(first->prev_hash);
  EXPECT_EQ(first->header.stream_seq, 1U);
  EXPECT_EQ(first->row_hash, core::blake3(core::header_bytes(first->header)));

  EXPECT_EQ(chained->prev_hash, first->row_hash);
  EXPECT_EQ(chained->header.stream_seq, 2U);
  EXPECT_EQ(chained->row_hash,
            core::row_hash(first->row_hash, core::header_bytes(chained->header)));

  EXPECT_FALSE(unchained->prev_hash);
  EXPECT_FALSE(unchained->header.stream_seq);
  EXPECT_EQ(unchained->row_hash, core::blake3(core::header_bytes(unchained->header)));
}

TEST_P(AppendContract, PermissionVersionZeroIsInTheHeader) {
  const auto log = open_log();
  ASSERT_TRUE(log->append(log->local_admin(), simple_event()));
  const auto record = log->find(1);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->header.permission_version, 0U);
  EXPECT_THAT(core::header_bytes(record->header), testing::HasSubstr("\"permission_version\":0"));
}

TEST_P(AppendContract, TraceContextIsKeptOnlyWhenSampled) {
  const auto log = open_log();
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-";
  AppendOptions sampled;
  sampled.traceparent = trace + "01";
  AppendOptions unsampled;
  unsampled.traceparent = trace + "00";
  ASSERT_TRUE(log->append(log->local_admin(), simple_event(), sampled));
  ASSERT_TRUE(log->append(log->local_admin(), simple_event(), unsampled));
  ASSERT_TRUE(log->append(log->local_admin(), simple_event()));

  const auto correlation = parse_uuid("4bf92f35-77b3-4da6-a3ce-929d0e0e4736");
  const auto meta = [&](std::uint64_t seq) { return meta_of(log->find(seq).value()).value(); };
  EXPECT_EQ(meta(1).trace_context, trace + "01");
  EXPECT_EQ(meta(1).correlation_id, correlation);
  EXPECT_FALSE(meta(2).trace_context);
  EXPECT_EQ(meta(2).correlation_id, correlation);
  EXPECT_TRUE(meta(3).empty());
}

TEST_P(AppendContract, SingleEventsMayHaveTracesOfTheirOwn) {
  const auto log = open_log();
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const std::string own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  AppendOptions options;
  options.traceparent = trace;
  options.traceparents = {own, std::nullopt, "no trace"};
  std::vector<NewEvent> events(4, simple_event());
  ASSERT_TRUE(log->append(log->local_admin(), events, options));

  const auto meta = [&](std::uint64_t seq) { return meta_of(log->find(seq).value()).value(); };
  EXPECT_EQ(meta(1).trace_context, own);
  EXPECT_EQ(meta(1).correlation_id, parse_uuid("0af76519-16cd-43dd-8448-eb211c80319c"));
  EXPECT_EQ(meta(2).trace_context, trace);
  EXPECT_TRUE(meta(3).empty());
  EXPECT_EQ(meta(4).trace_context, trace);
}

TEST_P(AppendContract, RecordedTimeNeverRunsBackwards) {
  const auto log = open_log();
  ASSERT_TRUE(log->append(log->local_admin(), simple_event()));
  clock_->advance(-std::chrono::hours{1});
  ASSERT_TRUE(log->append(log->local_admin(), simple_event()));
  clock_->advance(std::chrono::hours{2});
  ASSERT_TRUE(log->append(log->local_admin(), simple_event()));
  const auto page = log->read({});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->records[0].header.recorded_at, page->records[1].header.recorded_at);
  EXPECT_LT(page->records[1].header.recorded_at, page->records[2].header.recorded_at);
}

TEST_P(AppendContract, NewProcessContinuesTheChain) {
  Digest head{};
  {
    const auto log = open_log();
    const auto result = log->append(log->local_admin(), simple_event("order.paid", "order-1"));
    ASSERT_TRUE(result);
    head = result->events.front().hash;
    ASSERT_TRUE(log->stop());
  }
  const auto log = open_log();
  const auto result = log->append(log->local_admin(), simple_event("order.paid", "order-1"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->events.front().seq, 2U);
  EXPECT_EQ(result->events.front().stream_seq, 2U);
  EXPECT_EQ(log->find(2)->prev_hash, head);
  expect_verified(*log, 2);
}

TEST_P(AppendContract, ThreeStreamsOfConcurrentAppendsAreDenseAndShareGroups) {
  constexpr std::size_t streams = 3;
  constexpr std::size_t appends = 100;
  const auto probe = std::make_shared<StoreProbe>();
  std::atomic<std::size_t> begun = 0;
  probe->before_commit = [&]() -> Result<void> {
    // The first group waits until everybody has begun, however slowly threads start here.
    while (begun != 0 && begun < streams * appends)
      std::this_thread::yield();
    return {};
  };
  const auto log = open_probed(probe);
  const auto commits_before = probe->commits.load();
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (std::size_t i = 0; i < streams * appends; ++i) {
    threads.emplace_back([&, i] {
      ++begun;
      const std::string stream = "stream-" + std::to_string(i % streams);
      if (!log->append(log->local_admin(), simple_event("order.paid", stream))) ++failures;
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);

  const auto commits = probe->commits.load() - commits_before;
  EXPECT_LT(commits, streams * appends) << "requests must share commits";
  const auto page = log->read({.limit = 1000});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->records.size(), streams * appends);
  std::map<std::string, std::uint64_t> versions;
  for (const Record& record : page->records) {
    EXPECT_EQ(record.header.stream_seq, ++versions[*record.header.stream]);
  }
  for (const auto& [stream, version] : versions)
    EXPECT_EQ(version, appends) << stream;
  expect_verified(*log, streams * appends);
}

TEST_P(AppendContract, EveryAnsweredPositionHoldsThatEvent) {
  const auto log = open_log();
  constexpr std::size_t writers = 64;
  std::vector<Result<AppendResult>> results(writers, fail(ErrorCode::internal, "not run"));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < writers; ++i) {
    threads.emplace_back([&, i] {
      NewEvent event = simple_event("order.paid", "order-1");
      event.labels["writer"] = std::to_string(i);
      results[i] = log->append(log->local_admin(), event);
    });
  }
  for (auto& thread : threads)
    thread.join();
  std::set<std::uint64_t> seqs;
  for (std::size_t i = 0; i < writers; ++i) {
    ASSERT_TRUE(results[i]) << results[i].error().detail;
    const auto record = log->find(results[i]->events.front().seq);
    ASSERT_TRUE(record);
    EXPECT_EQ(meta_of(*record)->labels.at("writer"), std::to_string(i));
    seqs.insert(record->header.seq);
  }
  EXPECT_EQ(seqs.size(), writers);
  EXPECT_EQ(*seqs.rbegin(), writers);
}

TEST_P(AppendContract, ReceiptIsTheLogHashAfterTheRequestsLastEvent) {
  const auto log = open_log();
  const auto first = log->append(log->local_admin(), {simple_event(), simple_event()});
  const auto second = log->append(log->local_admin(), simple_event());
  ASSERT_TRUE(first && second);
  Digest hash{};
  const auto page = log->read({});
  ASSERT_TRUE(page);
  for (const Record& record : page->records) {
    hash = core::next_log_hash(hash, record.row_hash);
    if (record.header.seq == 2) {
      EXPECT_EQ(first->receipt.log_hash, hash);
    }
    EXPECT_EQ(log->receipt_at(record.header.seq)->log_hash, hash);
  }
  EXPECT_EQ(second->receipt.log_hash, hash);
}

TEST_P(AppendContract, InvalidBatchIsRefusedWholeWithAllViolations) {
  const auto log = open_log();
  std::vector<NewEvent> events{simple_event(), simple_event("Bad Type"), simple_event()};
  events[2].payload = R"({"a":[null]})";
  const auto result = log->append(log->local_admin(), events);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::invalid_event);
  const auto& violations = std::get<InvalidEvent>(result.error().details).violations;
  ASSERT_EQ(violations.size(), 2U);
  EXPECT_EQ(violations[0].index, 1U);
  EXPECT_EQ(violations[0].pointer, "/type");
  EXPECT_EQ(violations[1].index, 2U);
  EXPECT_EQ(violations[1].pointer, "/payload/a/0");
  EXPECT_EQ(log->state()->event_seq, 0U);
}

TEST_P(AppendContract, LogsOwnTypesAndStreamsAreRefused) {
  const auto log = open_log();
  for (const auto& [event, pointer] :
       {std::pair{simple_event("log.dropped"), "/type"},
        std::pair{simple_event("access.key_created"), "/type"},
        std::pair{simple_event("order.paid", "$access"), "/stream"}}) {
    const auto result = log->append(log->local_admin(), event);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::invalid_event);
    EXPECT_EQ(std::get<InvalidEvent>(result.error().details).violations.front().pointer, pointer);
  }
}

TEST_P(AppendContract, RefusedCapabilityNamesTypeAndAllowedTypes) {
  const auto log = open_log();
  const auto capability =
      CapabilityMint::mint(uuid_of(1), {"query.*", "alarm.raised"}, clock_->now()).value();
  const auto result = log->append(capability, simple_event("order.paid"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::not_allowed);
  const auto& details = std::get<NotAllowed>(result.error().details);
  EXPECT_EQ(details.refused_type, "order.paid");
  EXPECT_THAT(details.allowed_types, testing::ElementsAre("alarm.raised", "query.*"));
}

TEST_P(AppendContract, PersonalDataInTheHeaderIsWarnedOfAndStored) {
  const auto log = open_log();
  NewEvent event = simple_event("order.paid", "customer/alex@example.com");
  event.actor = Actor{ActorKind::user, "alex@example.com"};
  const auto result = log->append(log->local_admin(), event);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->events.front().warnings.size(), 1U) << "the actor is in the erasable part";
  EXPECT_EQ(result->events.front().warnings.front().pointer, "/stream");
  EXPECT_EQ(result->events.front().warnings.front().rule, "personal_data");
  expect_verified(*log, 1);
}

TEST_P(AppendContract, TooManyEventsAndBytesNameTheLimit) {
  LogOptions options;
  options.append.request_max_events = 3;
  options.append.request_max_bytes = 1000;
  const auto log = open_log(options);
  EXPECT_TRUE(log->append(log->local_admin(), std::vector<NewEvent>(3, simple_event())));
  const auto many = log->append(log->local_admin(), std::vector<NewEvent>(4, simple_event()));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::too_large);
  EXPECT_EQ(std::get<LimitExceeded>(many.error().details).limit, 3U);

  NewEvent event = simple_event();
  const std::size_t room = options.append.request_max_bytes - event.type.size();
  event.payload = "{\"a\":\"" + std::string(room - 8, 'x') + "\"}";
  EXPECT_TRUE(log->append(log->local_admin(), event));
  event.payload.insert(6, "x");
  const auto large = log->append(log->local_admin(), event);
  ASSERT_FALSE(large);
  EXPECT_EQ(std::get<LimitExceeded>(large.error().details).limit, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Stores, AppendContract,
                         testing::Values(memory_backend(), sqlite_backend()), name_of_test);

}  // namespace
}  // namespace annals::test
