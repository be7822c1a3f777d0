#include "core/visibility.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/canonical.hpp"

namespace annals::core {
namespace {

constexpr Uuid holder{{1}};

Header plain_header() {
  Header header;
  header.type = "order.paid";
  header.receive_action = "read";
  header.key_id = Uuid{{9}};
  return header;
}

Reader reader_of(const char* grant) {
  return {{*parse_read_grant(grant)}, holder, {}};
}

bool sees_plainly(const char* grant, const std::function<void(Header&)>& change) {
  Header header = plain_header();
  change(header);
  return sees(reader_of(grant), header, std::nullopt);
}

TEST(Visibility, OwnIsWhatTheKeyAppended) {
  EXPECT_FALSE(sees_plainly("own", [](Header&) {}));
  EXPECT_TRUE(sees_plainly("own", [](Header& h) { h.key_id = holder; }));
}

TEST(Visibility, SpacesAndChannelsAreComparedWhole) {
  EXPECT_FALSE(sees_plainly("space=s1", [](Header&) {}));
  EXPECT_TRUE(sees_plainly("space=s1", [](Header& h) { h.scope.space_id = "s1"; }));
  EXPECT_FALSE(sees_plainly("space=s1", [](Header& h) { h.scope.space_id = "s11"; }));
  EXPECT_FALSE(sees_plainly("space=s1", [](Header& h) { h.scope.channel_id = "s1"; }));
  EXPECT_TRUE(sees_plainly("channel=c1", [](Header& h) { h.scope.channel_id = "c1"; }));
  EXPECT_FALSE(sees_plainly("channel=c1", [](Header& h) { h.scope.channel_id = "C1"; }));
  EXPECT_FALSE(sees_plainly("channel=c1", [](Header& h) { h.scope.thread_id = "c1"; }));
}

TEST(Visibility, StreamsAreComparedByPrefix) {
  EXPECT_FALSE(sees_plainly("stream=order/", [](Header&) {}));
  EXPECT_TRUE(sees_plainly("stream=order/", [](Header& h) { h.stream = "order/1"; }));
  EXPECT_TRUE(sees_plainly("stream=order/", [](Header& h) { h.stream = "order/"; }));
  EXPECT_FALSE(sees_plainly("stream=order/", [](Header& h) { h.stream = "order"; }));
  EXPECT_FALSE(sees_plainly("stream=order/", [](Header& h) { h.stream = "my/order/1"; }));
}

TEST(Visibility, TypesAreComparedWholeOrBelowAPrefix) {
  EXPECT_TRUE(sees_plainly("type=order.paid", [](Header&) {}));
  EXPECT_TRUE(sees_plainly("type=order.*", [](Header&) {}));
  EXPECT_FALSE(sees_plainly("type=order.pai", [](Header&) {}));
  EXPECT_FALSE(sees_plainly("type=order.*", [](Header& h) { h.type = "orders.paid"; }));
}

TEST(Visibility, AGrantsActionsHoldInItsOwnAreaOnly) {
  Header header = plain_header();
  header.scope.channel_id = "c1";
  header.receive_action = "notify";
  const auto with = [&](std::initializer_list<const char*> grants) {
    Reader reader{{}, holder, {}};
    for (const char* text : grants)
      reader.grants.insert(*parse_read_grant(text));
    return sees(reader, header, std::nullopt);
  };
  EXPECT_FALSE(with({}));
  EXPECT_FALSE(with({"channel=c1"}));
  EXPECT_TRUE(with({"channel=c1:notify"}));
  EXPECT_FALSE(with({"channel=c1", "channel=c2:notify", "own:notify"})) << "not put together";
  EXPECT_TRUE(with({"channel=c1", "type=order.*:notify"})) << "one is enough";
  EXPECT_TRUE(with({"all"}));
}

/// Every combination of what decides, against the rule said a second time.
TEST(Visibility, FollowsTheRuleInEveryCase) {
  const std::vector<std::optional<std::string>> people{std::nullopt, "user/1", "user/2"};
  std::size_t seen = 0;
  std::size_t cases = 0;
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto bit = [&](unsigned which) { return (bits >> which & 1U) != 0; };
    for (const auto& principal : people) {
      for (const auto& audience : people) {
        for (const char* action : {"read", "notify", "self"}) {
          Reader reader{{}, holder, principal};
          if (bit(0)) reader.grants.insert(ReadGrant::all());
          if (bit(1)) reader.grants.insert(*parse_read_grant("own"));
          if (bit(2)) reader.grants.insert(*parse_read_grant("channel=c1:notify"));
          if (bit(3)) reader.grants.insert(*parse_read_grant("stream=a:notify,read"));
          Header header = plain_header();
          if (bit(4)) header.key_id = holder;
          if (bit(5)) header.scope.channel_id = "c1";
          if (bit(6)) header.stream = "ab";
          header.is_private = bit(7);
          header.receive_action = action;

          const bool is_read = header.receive_action == "read";
          const bool is_notify = header.receive_action == "notify";
          const bool covered = (bit(1) && bit(4) && is_read) || (bit(2) && bit(5) && is_notify) ||
                               (bit(3) && bit(6) && (is_read || is_notify));
          const bool for_it = principal && principal == audience;
          const bool expected =
              bit(0) || (header.is_private ? for_it && (covered || header.receive_action == "self")
                                           : covered);
          ASSERT_EQ(sees(reader, header, audience), expected)
              << bits << ' ' << action << ' ' << principal.value_or("-") << ' '
              << audience.value_or("-");

          Record record;
          record.header = header;
          Meta meta;
          meta.audience = audience;
          if (audience) record.meta = Part{meta_bytes(meta), {}};
          ASSERT_EQ(sees(reader, record), expected) << bits << ' ' << action;
          seen += expected ? 1 : 0;
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, 256U * 27U);
  EXPECT_GT(seen, cases / 2);
  EXPECT_LT(seen, cases);
}

TEST(Visibility, AnErasedOrUnreadableAudienceIsNobody) {
  Record record;
  record.header = plain_header();
  record.header.is_private = true;
  record.header.receive_action = "self";
  Meta meta;
  meta.audience = "user/1";
  record.meta = Part{meta_bytes(meta), {}};
  const Reader principal{{ReadGrant::own()}, holder, "user/1"};
  EXPECT_TRUE(sees(principal, record));
  record.meta->bytes = R"({"audience":"user/1)";
  EXPECT_FALSE(sees(principal, record));
  record.meta.reset();
  record.redacted_at = Timestamp{};
  EXPECT_FALSE(sees(principal, record));
  EXPECT_TRUE(sees(reader_of("all"), record));
  record.header.is_private = false;
  EXPECT_FALSE(sees(principal, record)) << "self without an audience is for nobody";
}

TEST(Visibility, AnErasedEventWithoutAnAudienceStaysVisible) {
  Record record;
  record.header = plain_header();
  record.header.meta_digest = Digest{1};
  record.redacted_at = Timestamp{};
  EXPECT_TRUE(sees(reader_of("type=order.paid"), record));
}

}  // namespace
}  // namespace annals::core
