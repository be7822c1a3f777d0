#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "testing/tcp_gate.hpp"
#include "tests/e2e/client/client_fixture.hpp"

namespace annals::test {
namespace {

std::unique_ptr<AppendStream> begin(Client& client) {
  auto stream = client.append_stream();
  if (!stream) throw std::runtime_error(stream.error().detail);
  return std::move(*stream);
}

class ClientAppendStream : public testing::TestWithParam<Backend> {
 protected:
  RunningServer server_{GetParam()};
  Client client_ = connect(server_);
};

TEST_P(ClientAppendStream, ManyEventsAreAnsweredInOrder) {
  constexpr std::uint64_t count = 20'000;
  std::vector<std::uint64_t> seqs;
  const auto stream = begin(client_);
  for (std::uint64_t i = 1; i <= count; ++i) {
    stream->append(event_of("a.b", "s" + std::to_string(i % 7)),
                   [&seqs](const Result<AppendResult>& result) {
                     seqs.push_back(result ? result->events[0].seq : 0);
                   });
  }
  const auto finished = stream->finish();
  ASSERT_TRUE(finished) << finished.error().detail;
  ASSERT_EQ(seqs.size(), count);
  for (std::uint64_t i = 0; i < count; ++i)
    ASSERT_EQ(seqs[i], i + 1);
}

TEST_P(ClientAppendStream, AnEventIsAnsweredWhileTheStreamIsOpen) {
  const auto stream = begin(client_);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    std::promise<std::uint64_t> answered;
    stream->append(event_of("a.b"), [&answered](const Result<AppendResult>& result) {
      answered.set_value(result ? result->events[0].seq : 0);
    });
    auto seq = answered.get_future();
    ASSERT_EQ(seq.wait_for(patience), std::future_status::ready);
    EXPECT_EQ(seq.get(), i);
  }
  EXPECT_TRUE(stream->finish());
}

TEST_P(ClientAppendStream, WhatIsRefusedStopsNothingAndKeepsItsTurn) {
  std::vector<std::optional<ErrorCode>> codes;
  const auto note = [&codes](const Result<AppendResult>& result) {
    codes.push_back(result ? std::nullopt : std::optional(result.error().code));
  };
  const auto stream = begin(client_);
  stream->append(event_of("a.b"), note);
  stream->append(event_of("BAD"), note);
  stream->append(event_of("a.b", {}, "{"), note);
  stream->append_line("  ", note);
  stream->append_line("{oops", note);
  stream->append_line("{\"type\":\n\"a.b\"}", note);
  stream->append(event_of("a.b", "s"), {ExpectedVersion::Kind::exists, 0}, note);
  stream->append(event_of("a.b", "s"), {ExpectedVersion::Kind::none, 0}, note);
  EXPECT_TRUE(stream->finish());
  EXPECT_EQ(codes, (std::vector<std::optional<ErrorCode>>{
                       std::nullopt, ErrorCode::invalid_event, ErrorCode::invalid_event,
                       ErrorCode::invalid_request, ErrorCode::invalid_event, std::nullopt,
                       ErrorCode::version_conflict, std::nullopt}));
  EXPECT_EQ(server_.log().state()->event_seq, 3U);
}

TEST_P(ClientAppendStream, OnlyRefusedEventsAreAnsweredToo) {
  int refused = 0;
  const auto stream = begin(client_);
  stream->append_line("", [&refused](const Result<AppendResult>& result) { refused += !result; });
  EXPECT_TRUE(stream->finish());
  EXPECT_EQ(refused, 1);
}

TEST_P(ClientAppendStream, AfterALostConnectionNobodyKnowsAndTheSameIdsSettleIt) {
  TcpGate gate(server_.port());
  Client client = connect(client_options(gate.port()));
  gate.cut_after(GateSide::server, 2000);
  std::vector<NewEvent> events;
  for (std::uint8_t i = 0; i < 100; ++i) {
    events.push_back(event_of("a.b"));
    events.back().id = parse_uuid("0190a000-0000-7000-8000-000000000001");
    events.back().id->bytes[15] = i;
  }
  std::vector<Result<AppendResult>> first;
  const auto stream = begin(client);
  for (const auto& event : events) {
    stream->append(event,
                   [&first](Result<AppendResult> result) { first.push_back(std::move(result)); });
  }
  const auto finished = stream->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::store_unavailable);
  ASSERT_EQ(first.size(), events.size());
  std::vector<Result<AppendResult>> second;
  const auto again = begin(client);
  for (const auto& event : events) {
    again->append(event,
                  [&second](Result<AppendResult> result) { second.push_back(std::move(result)); });
  }
  ASSERT_TRUE(again->finish());
  ASSERT_EQ(second.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    ASSERT_TRUE(second[i]) << second[i].error().detail;
    EXPECT_EQ(second[i]->events[0].seq, i + 1);
    if (first[i]) {
      EXPECT_EQ(first[i]->events[0].seq, second[i]->events[0].seq);
    } else {
      EXPECT_TRUE(first[i].error().code == ErrorCode::commit_unknown ||
                  first[i].error().code == ErrorCode::store_unavailable)
          << to_string(first[i].error().code);
    }
  }
  EXPECT_FALSE(first.back());
}

TEST_P(ClientAppendStream, AKeyThatMayNotAppendIsToldToEveryEvent) {
  auto options = client_options(server_.port());
  options.api_key = server_.create_key("reader", {}, {ReadGrant::all()});
  Client client = connect(options);
  std::vector<ErrorCode> codes;
  const auto stream = begin(client);
  for (int i = 0; i < 3; ++i) {
    stream->append(event_of("a.b"), [&codes](const Result<AppendResult>& result) {
      codes.push_back(result ? ErrorCode::internal : result.error().code);
    });
  }
  const auto finished = stream->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::not_allowed);
  EXPECT_EQ(codes, std::vector<ErrorCode>(3, ErrorCode::not_allowed));
}

INSTANTIATE_TEST_SUITE_P(Backends, ClientAppendStream,
                         testing::Values(Backend::memory, Backend::sqlite),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace annals::test
