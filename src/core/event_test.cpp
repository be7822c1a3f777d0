#include "annals/event.hpp"

#include <gtest/gtest.h>

namespace annals {
namespace {

TEST(ActorKind, NamesRoundTrip) {
  EXPECT_EQ(to_string(ActorKind::user), "user");
  EXPECT_EQ(to_string(ActorKind::agent), "agent");
  EXPECT_EQ(to_string(ActorKind::app), "app");
  EXPECT_EQ(to_string(ActorKind::system), "system");
  for (const auto kind : {ActorKind::user, ActorKind::agent, ActorKind::app, ActorKind::system}) {
    EXPECT_EQ(parse_actor_kind(to_string(kind)), kind);
  }
}

TEST(ActorKind, RefusesEverythingElse) {
  for (const char* text : {"", "User", "users", "use", "bot", " user"}) {
    EXPECT_FALSE(parse_actor_kind(text)) << text;
  }
}

TEST(NewEvent, DefaultsAreAnEmptyObjectOfVersionOne) {
  const NewEvent event;
  EXPECT_EQ(event.schema_version, 1U);
  EXPECT_EQ(event.payload, "{}");
  EXPECT_FALSE(event.truncated);
}

}  // namespace
}  // namespace annals
