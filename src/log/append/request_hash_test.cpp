#include "log/append/request_hash.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace annals::log {
namespace {

NewEvent base() {
  NewEvent event;
  event.type = "order.paid";
  return event;
}

TEST(RequestHash, EveryMemberMakesADifference) {
  const std::vector<std::function<void(NewEvent&)>> changes{
      [](NewEvent&) {},
      [](NewEvent& e) { e.id = Uuid{{1}}; },
      [](NewEvent& e) { e.type = "order.paie"; },
      [](NewEvent& e) { e.schema_version = 2; },
      [](NewEvent& e) { e.source = "a"; },
      [](NewEvent& e) { e.stream = "a"; },
      [](NewEvent& e) { e.occurred_at = Timestamp{}; },
      [](NewEvent& e) { e.actor = Actor{ActorKind::system, {}}; },
      [](NewEvent& e) { e.actor = Actor{ActorKind::user, "a"}; },
      [](NewEvent& e) { e.scope.space_id = "a"; },
      [](NewEvent& e) { e.scope.channel_id = "a"; },
      [](NewEvent& e) { e.scope.thread_id = "a"; },
      [](NewEvent& e) { e.resource.kind = "a"; },
      [](NewEvent& e) { e.resource.id = "a"; },
      [](NewEvent& e) { e.resource.version = 0; },
      [](NewEvent& e) { e.audience = "a"; },
      [](NewEvent& e) { e.receive_action = "a"; },
      [](NewEvent& e) { e.labels["a"] = ""; },
      [](NewEvent& e) { e.labels["a"] = "b"; },
      [](NewEvent& e) { e.correlation_id = Uuid{{1}}; },
      [](NewEvent& e) { e.causation_id = Uuid{{1}}; },
      [](NewEvent& e) { e.payload = "{ }"; },
      [](NewEvent& e) { e.truncated = true; },
      [](NewEvent& e) { e.client_msg_id = "a"; },
  };
  std::set<Digest> hashes;
  for (const auto& change : changes) {
    NewEvent event = base();
    change(event);
    hashes.insert(request_hash({event}, {}));
  }
  EXPECT_EQ(hashes.size(), changes.size());
}

TEST(RequestHash, ExpectationsCountAndTracesDoNot) {
  AppendOptions expecting;
  expecting.expected_versions["a"] = {ExpectedVersion::Kind::none, 0};
  EXPECT_NE(request_hash({base()}, {}), request_hash({base()}, expecting));
  AppendOptions traced;
  traced.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_EQ(request_hash({base()}, {}), request_hash({base()}, traced));
}

TEST(RequestBytes, CountsLabelsAndNamesInFull) {
  NewEvent event = base();
  const std::size_t before = request_bytes(event);
  EXPECT_EQ(before, event.type.size() + 2);
  event.labels["status"] = "open";
  event.stream = "order-1";
  event.actor = Actor{ActorKind::user, "alex"};
  EXPECT_EQ(request_bytes(event), before + 10 + 7 + 4);
}

}  // namespace
}  // namespace annals::log
