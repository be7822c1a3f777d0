#include "server/tickets.hpp"

#include <gtest/gtest.h>

#include <set>

namespace annals::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Deadline start{seconds{1000}};

TEST(Tickets, StandOnceForTheirCredential) {
  Tickets tickets{seconds{30}, 10};
  const auto first = tickets.issue("alex", start);
  const auto second = tickets.issue("sam", start);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(tickets.redeem(*second, start), "sam");
  EXPECT_EQ(tickets.redeem(*first, start), "alex");
  EXPECT_EQ(tickets.redeem(*first, start), std::nullopt);
  EXPECT_EQ(tickets.redeem("", start), std::nullopt);
  EXPECT_EQ(tickets.redeem("alex", start), std::nullopt);
}

TEST(Tickets, AreOutOfDateAfterTheirLifetime) {
  Tickets tickets{seconds{30}, 10};
  const auto first = tickets.issue("alex", start);
  const auto second = tickets.issue("alex", start);
  EXPECT_EQ(tickets.redeem(*first, start + seconds{30} - milliseconds{1}), "alex");
  EXPECT_EQ(tickets.redeem(*second, start + seconds{30}), std::nullopt);
}

TEST(Tickets, CannotBeGuessed) {
  Tickets tickets{seconds{30}, 1000};
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto ticket = tickets.issue("alex", start);
    ASSERT_TRUE(ticket);
    EXPECT_EQ(ticket->size(), 64U);
    seen.insert(*ticket);
  }
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Tickets, OnlySoManyAreOpen) {
  Tickets tickets{seconds{30}, 2};
  const auto first = tickets.issue("alex", start);
  ASSERT_TRUE(tickets.issue("alex", start + seconds{1}));
  const auto refused = tickets.issue("alex", start + seconds{2});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::busy);
  EXPECT_EQ(refused.error().retry_after, seconds{28});
  EXPECT_TRUE(tickets.redeem(*first, start + seconds{2}));
  EXPECT_TRUE(tickets.issue("alex", start + seconds{2}));
  EXPECT_FALSE(tickets.issue("alex", start + seconds{2}));
  EXPECT_TRUE(tickets.issue("alex", start + seconds{31})) << "the second is out of date";
}

}  // namespace
}  // namespace annals::server
