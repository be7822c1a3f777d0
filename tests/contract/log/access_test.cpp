#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/catalogue.hpp"
#include "tests/contract/log/log_fixture.hpp"

namespace annals::test {
namespace {

class AccessContract : public LogContract {
 protected:
  static Result<CreatedKey> create(EventLog& log, std::string name,
                                   std::optional<Timestamp> expires_at = std::nullopt) {
    return log.create_key(
        log.local_admin(),
        {std::move(name), {"query.*"}, {ReadGrant::own()}, expires_at, "user/42"});
  }
};

TEST_P(AccessContract, CreatedKeyAuthenticatesAndItsCapabilityAppends) {
  const auto log = open_log();
  const auto created = create(*log, "mobile-alex");
  ASSERT_TRUE(created) << created.error().detail;
  const auto identity = log->authenticate(created->secret);
  ASSERT_TRUE(identity) << identity.error().detail;
  EXPECT_EQ(identity->key, created->key);
  ASSERT_TRUE(identity->capability);
  EXPECT_EQ(identity->capability->holder(), created->key.key_id);
  const auto result = log->append(*identity->capability, simple_event("query.started"));
  ASSERT_TRUE(result);
  EXPECT_EQ(log->find(2)->header.key_id, created->key.key_id);
  EXPECT_EQ(log->append(*identity->capability, simple_event("order.paid")).error().code,
            ErrorCode::not_allowed);
}

TEST_P(AccessContract, KeyChangesAreEventsThatRaiseThePermissionVersion) {
  const auto log = open_log();
  const auto created = create(*log, "mobile-alex");
  ASSERT_TRUE(created);
  EXPECT_EQ(log->state()->permission_version, 1U);
  ASSERT_TRUE(log->revoke_key(log->local_admin(), "mobile-alex"));
  EXPECT_EQ(log->state()->permission_version, 2U);
  const auto events = log->read_stream("$access", {.verify = true});
  ASSERT_TRUE(events);
  ASSERT_EQ(events->records.size(), 2U);
  EXPECT_EQ(events->records[0].header.type, "access.key_created");
  EXPECT_EQ(events->records[0].header.permission_version, 1U);
  EXPECT_EQ(events->records[1].header.type, "access.key_revoked");
  EXPECT_EQ(events->records[1].header.permission_version, 2U);
  for (const Record& record : events->records) {
    EXPECT_THAT(std::string(payload_of(record)), testing::Not(testing::HasSubstr("mobile-alex")))
        << "names live in the key's row only";
    EXPECT_EQ(record.header.resource.id, to_string(created->key.key_id));
  }
  expect_verified(*log, 2);
}

TEST_P(AccessContract, AChangedKeyKeepsItsSecretAndIsAnEvent) {
  const auto log = open_log();
  const auto created = create(*log, "mobile-alex");
  ASSERT_TRUE(created);
  const Timestamp until = clock_->now() + std::chrono::hours{1};
  KeyChange change;
  change.append = AllowedTypes{"order.*"};
  change.read = ReadGrants{ReadGrant::all()};
  change.expires_at = until;
  change.principal = std::optional<std::string>{};
  change.from = AddressRanges{*parse_address_range("10.0.0.0/8")};
  const auto changed = log->change_key(log->local_admin(), "mobile-alex", change);
  ASSERT_TRUE(changed) << changed.error().detail;
  Key expected = created->key;
  expected.append = {"order.*"};
  expected.read = {ReadGrant::all()};
  expected.expires_at = until;
  expected.principal.reset();
  expected.from = *change.from;
  EXPECT_EQ(*changed, expected);
  const auto identity = log->authenticate(created->secret);
  ASSERT_TRUE(identity) << identity.error().detail;
  EXPECT_EQ(identity->key, expected);
  EXPECT_TRUE(log->append(*identity->capability, simple_event("order.paid")));
  EXPECT_EQ(log->append(*identity->capability, simple_event("query.started")).error().code,
            ErrorCode::not_allowed);
  EXPECT_EQ(log->state()->permission_version, 2U);
  const auto events = log->read_stream("$access", {.verify = true});
  ASSERT_TRUE(events);
  ASSERT_EQ(events->records.size(), 2U);
  EXPECT_EQ(events->records[1].header.type, "access.key_changed");
  EXPECT_EQ(events->records[1].header.permission_version, 2U);
  EXPECT_EQ(events->records[1].header.resource.id, to_string(created->key.key_id));
  EXPECT_EQ(payload_of(events->records[1]),
            "{\"key_id\":\"" + to_string(created->key.key_id) +
                "\",\"append\":[\"order.*\"],\"read\":[\"all\"],\"expires_at\":\"" +
                to_string(until) + "\"}");
  EXPECT_EQ(log->keys()->at(0), expected);
  expect_verified(*log, 3);
}

TEST_P(AccessContract, OnlyWhatIsNamedChanges) {
  const auto log = open_log();
  const auto created = create(*log, "mobile-alex");
  ASSERT_TRUE(created);
  KeyChange change;
  change.read = ReadGrants{};
  const auto changed = log->change_key(log->local_admin(), to_string(created->key.key_id), change);
  ASSERT_TRUE(changed) << changed.error().detail;
  Key expected = created->key;
  expected.read.clear();
  EXPECT_EQ(*changed, expected);
}

TEST_P(AccessContract, AChangeThatChangesNothingIsNoEvent) {
  const auto log = open_log();
  const auto created = create(*log, "mobile-alex");
  ASSERT_TRUE(created);
  KeyChange change;
  change.append = created->key.append;
  for (const KeyChange& nothing : {KeyChange{}, change}) {
    const auto changed = log->change_key(log->local_admin(), "mobile-alex", nothing);
    ASSERT_TRUE(changed);
    EXPECT_EQ(*changed, created->key);
  }
  EXPECT_EQ(log->state()->event_seq, 1U);
  EXPECT_EQ(log->state()->permission_version, 1U);
}

TEST_P(AccessContract, AChangeThatMakesNoGoodKeyIsRefusedWhole) {
  const auto log = open_log();
  const auto created = create(*log, "mobile-alex");
  ASSERT_TRUE(created);
  KeyChange useless;
  useless.append = AllowedTypes{};
  useless.read = ReadGrants{};
  KeyChange past;
  past.read = ReadGrants{ReadGrant::all()};
  past.expires_at = Timestamp{};
  KeyChange pattern;
  pattern.append = AllowedTypes{"a*"};
  KeyChange nameless;
  nameless.principal = std::optional<std::string>{""};
  for (const KeyChange& change : {useless, past, pattern, nameless}) {
    const auto refused = log->change_key(log->local_admin(), "mobile-alex", change);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().code, ErrorCode::not_found);
    EXPECT_EQ(refused.error().kind(), ErrorKind::invalid);
  }
  EXPECT_EQ(log->keys()->at(0), created->key);
  EXPECT_EQ(log->state()->event_seq, 1U);
  KeyChange good;
  good.read = ReadGrants{ReadGrant::all()};
  EXPECT_EQ(log->change_key(log->local_admin(), "nobody", good).error().code, ErrorCode::not_found);
  const auto identity = log->authenticate(created->secret);
  ASSERT_TRUE(identity);
  EXPECT_EQ(log->change_key(*identity->capability, "mobile-alex", good).error().code,
            ErrorCode::not_allowed);
  ASSERT_TRUE(log->revoke_key(log->local_admin(), "mobile-alex"));
  EXPECT_EQ(log->change_key(log->local_admin(), "mobile-alex", good).error().code,
            ErrorCode::not_found)
      << "a revoked key stays revoked";
}

TEST_P(AccessContract, TheEventOfANewKeyNamesItsGrantsAndNobody) {
  const auto log = open_log();
  NewKey key{"mobile-alex", {"query.*"}, {ReadGrant::own()}, {}, "user/42", {}};
  key.from = {*parse_address_range("10.0.0.0/8")};
  key.read.insert(*parse_read_grant("channel=c1:notify,read"));
  const auto created = log->create_key(log->local_admin(), key);
  ASSERT_TRUE(created) << created.error().detail;
  EXPECT_EQ(created->key.read, key.read);
  EXPECT_EQ(created->key.principal, "user/42");
  EXPECT_EQ(log->authenticate(created->secret)->key, created->key);
  EXPECT_EQ(log->keys()->front(), created->key);
  EXPECT_EQ(payload_of(*log->find(1)),
            R"({"key_id":")" + to_string(created->key.key_id) +
                R"(","append":["query.*"],"read":["own","channel=c1:notify,read"]})");
}

TEST_P(AccessContract, GrantsAndPrincipalsAreChecked) {
  const auto log = open_log();
  const auto code_with = [&](const NewKey& key) {
    const auto created = log->create_key(log->local_admin(), key);
    return created ? ErrorCode::internal : created.error().code;
  };
  const auto code_of_grant = [&](ReadGrant grant) {
    return code_with({"k", {}, {std::move(grant)}, {}, {}});
  };
  EXPECT_EQ(code_with({"k", {}, {}, {}, "user/42"}), ErrorCode::invalid_request);
  EXPECT_EQ(code_with({"k", {"*"}, {}, {}, ""}), ErrorCode::invalid_request);
  EXPECT_EQ(code_with({"k", {"*"}, {}, {}, std::string(201, 'x')}), ErrorCode::invalid_request);
  EXPECT_EQ(code_of_grant({ReadArea::space, "", {"read"}}), ErrorCode::invalid_request);
  EXPECT_EQ(code_of_grant({ReadArea::own, "x", {"read"}}), ErrorCode::invalid_request);
  EXPECT_EQ(code_of_grant({ReadArea::own, "", {}}), ErrorCode::invalid_request);
  EXPECT_EQ(code_of_grant({ReadArea::all, "", {"read"}}), ErrorCode::invalid_request);
  EXPECT_EQ(code_of_grant({ReadArea::type, "*", {"read"}}), ErrorCode::invalid_request);
  NewKey mapped{"k", {"*"}, {}, {}, {}, {}};
  mapped.from = {AddressRange{*parse_ip_address("10.0.0.0"), 90}};
  EXPECT_EQ(code_with(mapped), ErrorCode::invalid_request);
  NewKey many{"k", {}, {}, {}, {}, {}};
  for (std::size_t i = 0; i <= max_read_grants; ++i)
    many.read.insert({ReadArea::space, std::to_string(i), {"read"}});
  EXPECT_EQ(code_with(many), ErrorCode::invalid_request);
  many.read.erase(many.read.begin());
  EXPECT_TRUE(log->create_key(log->local_admin(), many));
  EXPECT_EQ(log->state()->event_seq, 1U);
}

TEST_P(AccessContract, RevokedExpiredAndForeignSecretsAreRefused) {
  const auto log = open_log();
  const auto revoked = create(*log, "revoked");
  const auto expiring = create(*log, "expiring", clock_->now() + std::chrono::hours{1});
  ASSERT_TRUE(revoked && expiring);
  ASSERT_TRUE(log->authenticate(expiring->secret));
  ASSERT_TRUE(log->revoke_key(log->local_admin(), to_string(revoked->key.key_id)));
  clock_->advance(std::chrono::hours{1});
  std::string altered = expiring->secret;
  altered.back() = altered.back() == '0' ? '1' : '0';
  for (const std::string& secret :
       {revoked->secret, expiring->secret, altered, std::string("annals_x"), std::string()}) {
    const auto identity = log->authenticate(secret);
    ASSERT_FALSE(identity);
    EXPECT_EQ(identity.error().code, ErrorCode::not_authenticated);
  }
}

TEST_P(AccessContract, ChangesOfAnotherProcessTakeEffect) {
  const auto log = open_log();
  const auto other = open_log();
  const auto created = create(*other, "mobile-alex");
  ASSERT_TRUE(created);
  ASSERT_TRUE(log->authenticate(created->secret)) << "nothing was cached yet";
  ASSERT_TRUE(other->revoke_key(other->local_admin(), "mobile-alex"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{1};
  while (log->authenticate(created->secret) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(log->authenticate(created->secret)) << "lost within a second";
}

TEST_P(AccessContract, NamesAreUniqueAmongActiveKeysAndBadOnesAreRefused) {
  const auto log = open_log();
  ASSERT_TRUE(create(*log, "mobile-alex"));
  EXPECT_EQ(create(*log, "mobile-alex").error().code, ErrorCode::invalid_request);
  EXPECT_EQ(create(*log, "").error().code, ErrorCode::invalid_request);
  EXPECT_EQ(create(*log, "late", clock_->now()).error().code, ErrorCode::invalid_request);
  ASSERT_TRUE(log->revoke_key(log->local_admin(), "mobile-alex"));
  EXPECT_EQ(log->revoke_key(log->local_admin(), "mobile-alex").error().code, ErrorCode::not_found);
  EXPECT_TRUE(create(*log, "mobile-alex"));
  EXPECT_EQ(log->keys()->size(), 2U);
  expect_verified(*log, 3);
}

TEST_P(AccessContract, OnlyTheLocalAdministratorAdministers) {
  const auto log = open_log();
  const auto created = create(*log, "mobile-alex");
  const auto capability = log->authenticate(created->secret)->capability;
  EXPECT_EQ(log->create_key(*capability, {"x", {"*"}, {ReadGrant::all()}, {}, {}}).error().code,
            ErrorCode::not_allowed);
  EXPECT_EQ(log->revoke_key(*capability, "mobile-alex").error().code, ErrorCode::not_allowed);
  EXPECT_EQ(log->apply_catalogue(*capability, "{}").error().code, ErrorCode::not_allowed);
}

TEST_P(AccessContract, ASubjectHasAKeyFromItsFirstAppendOn) {
  const auto log = open_log();
  EXPECT_EQ(log->find_subject("alex", {"query.*"}).value(), std::nullopt);
  EXPECT_EQ(log->state()->event_seq, 0U) << "to look makes nothing";
  const auto admitted = log->admit_subject(log->local_admin(), "alex", {"query.*"});
  ASSERT_TRUE(admitted) << admitted.error().detail;
  EXPECT_EQ(admitted->key.name, "jwt:alex");
  EXPECT_EQ(admitted->key.principal, "alex");
  EXPECT_TRUE(admitted->key.append.empty() && admitted->key.read.empty()) << "the token has them";
  EXPECT_EQ(log->keys()->at(0), admitted->key);
  EXPECT_EQ(log->state()->permission_version, 1U);
  ASSERT_TRUE(log->append(*admitted->capability, simple_event("query.started")));
  EXPECT_EQ(log->find(2)->header.key_id, admitted->key.key_id);
  EXPECT_EQ(log->append(*admitted->capability, simple_event("order.paid")).error().code,
            ErrorCode::not_allowed);
  const auto again = log->admit_subject(log->local_admin(), "alex", {"order.*"});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->key, admitted->key);
  EXPECT_EQ(again->capability->allowed_types(), AllowedTypes{"order.*"});
  const auto found = log->find_subject("alex", {});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->key, admitted->key);
  EXPECT_FALSE((*found)->capability);
  EXPECT_EQ(log->state()->event_seq, 2U);
  const auto record = log->find(1);
  EXPECT_EQ(record->header.type, "access.key_created");
  EXPECT_EQ(payload_of(*record),
            R"({"key_id":")" + to_string(admitted->key.key_id) + R"(","append":[],"read":[]})");
  expect_verified(*log, 2);
}

TEST_P(AccessContract, ASubjectHasOneKeyHoweverManyAskAtOnce) {
  const auto log = open_log();
  const auto other = open_log();
  std::vector<Uuid> keys(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      threads.emplace_back([&, i] {
        EventLog& mine = i % 2 == 0 ? *log : *other;
        const auto admitted = mine.admit_subject(mine.local_admin(), "alex", {"*"});
        if (admitted) keys[i] = admitted->key.key_id;
      });
    }
  }
  EXPECT_FALSE(keys.front().is_nil());
  EXPECT_THAT(keys, testing::Each(keys.front()));
  EXPECT_EQ(log->keys()->size(), 1U);
  EXPECT_EQ(log->state()->event_seq, 1U);
  EXPECT_EQ(other->find_subject("alex", {}).value()->key.key_id, keys.front());
}

TEST_P(AccessContract, ASubjectWithoutAKeyIsLookedForEveryTime) {
  const auto log = open_log();
  const auto other = open_log();
  EXPECT_EQ(log->find_subject("alex", {}).value(), std::nullopt);
  ASSERT_TRUE(other->admit_subject(other->local_admin(), "alex", {"*"}));
  EXPECT_TRUE(log->find_subject("alex", {}).value()) << "at once, also of another process";
}

TEST_P(AccessContract, ARevokedSubjectIsBarredForGood) {
  const auto log = open_log();
  ASSERT_TRUE(log->admit_subject(log->local_admin(), "alex", {"*"}));
  ASSERT_TRUE(log->revoke_key(log->local_admin(), "jwt:alex"));
  EXPECT_EQ(log->find_subject("alex", {}).error().code, ErrorCode::not_authenticated);
  EXPECT_EQ(log->admit_subject(log->local_admin(), "alex", {"*"}).error().code,
            ErrorCode::not_authenticated);
  EXPECT_EQ(log->revoke_key(log->local_admin(), "jwt:alex").error().code, ErrorCode::not_found);
  EXPECT_EQ(log->keys()->size(), 1U);
}

TEST_P(AccessContract, ASubjectIsBarredBeforeItHasAKeyAsWell) {
  const auto log = open_log();
  const auto barred = log->revoke_key(log->local_admin(), "jwt:alex");
  ASSERT_TRUE(barred) << barred.error().detail;
  EXPECT_EQ(log->find_subject("alex", {}).error().code, ErrorCode::not_authenticated);
  EXPECT_EQ(log->keys()->at(0), *barred);
  EXPECT_EQ(log->find(1)->header.type, "access.key_revoked");
  EXPECT_EQ(log->find_subject("alexa", {}).value(), std::nullopt);
  EXPECT_EQ(log->revoke_key(log->local_admin(), "jwt:").error().code, ErrorCode::not_found);
  expect_verified(*log, 1);
}

TEST_P(AccessContract, KeysOfSubjectsAreMadeForSubjectsOnly) {
  const auto log = open_log();
  EXPECT_EQ(create(*log, "jwt:alex").error().code, ErrorCode::invalid_request);
  for (const std::string& bad : {std::string{}, std::string(197, 's'), std::string("a\0b", 3)})
    EXPECT_EQ(log->admit_subject(log->local_admin(), bad, {}).error().code,
              ErrorCode::invalid_request);
  EXPECT_EQ(log->admit_subject(log->local_admin(), "alex", {"access.*"}).error().code,
            ErrorCode::invalid_request);
  EXPECT_EQ(log->state()->event_seq, 0U);
  const auto admitted = log->admit_subject(log->local_admin(), std::string(196, 's'), {"*"});
  ASSERT_TRUE(admitted);
  EXPECT_EQ(log->admit_subject(*admitted->capability, "other", {"*"}).error().code,
            ErrorCode::not_allowed);
  KeyChange more;
  more.read = ReadGrants{ReadGrant::all()};
  EXPECT_EQ(log->change_key(log->local_admin(), admitted->key.name, more).error().code,
            ErrorCode::invalid_request);
}

class CatalogueContract : public LogContract {
 protected:
  static constexpr std::string_view document =
      R"({"types":[{"pattern":"order.*","resource_kind":"order","receive_action":"audit",)"
      R"("labels":{"status":{"values":["open","closed"]}}}]})";
};

TEST_P(CatalogueContract, AppliedCatalogueGovernsTheNextAppend) {
  const auto log = open_log();
  const auto applied = log->apply_catalogue(log->local_admin(), document);
  ASSERT_TRUE(applied) << applied.error().detail;
  EXPECT_TRUE(*applied);
  EXPECT_EQ(log->find(1)->header.type, "log.catalogue_changed");
  EXPECT_EQ(log->apply_catalogue(log->local_admin(), document), false);
  EXPECT_EQ(log->state()->event_seq, 1U) << "the same document changes nothing";

  ASSERT_TRUE(log->append(log->local_admin(), simple_event("order.paid")));
  const auto record = log->find(2);
  EXPECT_EQ(record->header.resource.kind, "order");
  EXPECT_EQ(record->header.receive_action, "audit");
  NewEvent wrong = simple_event("order.paid");
  wrong.labels["status"] = "unheard of";
  EXPECT_EQ(log->append(log->local_admin(), wrong).error().code, ErrorCode::invalid_event);
}

TEST_P(CatalogueContract, IsKeptAndFollowedByOtherProcesses) {
  const auto other = open_log();
  {
    const auto log = open_log();
    ASSERT_TRUE(log->apply_catalogue(log->local_admin(), document));
  }
  EXPECT_EQ(open_log()->catalogue()->entries().size(), 1U) << "read at start";
  // A running process notices when it appends for the first time after the change.
  ASSERT_TRUE(other->append(other->local_admin(), simple_event("other.event")));
  ASSERT_TRUE(other->append(other->local_admin(), simple_event("order.paid")));
  EXPECT_EQ(other->find(3)->header.resource.kind, "order");
}

TEST_P(CatalogueContract, MalformedDocumentIsRefused) {
  const auto log = open_log();
  const auto applied = log->apply_catalogue(log->local_admin(), R"({"tipes":[]})");
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, ErrorCode::invalid_request);
  EXPECT_EQ(log->state()->event_seq, 0U);
}

INSTANTIATE_TEST_SUITE_P(Stores, AccessContract,
                         testing::Values(memory_backend(), sqlite_backend()), name_of_test);
INSTANTIATE_TEST_SUITE_P(Stores, CatalogueContract,
                         testing::Values(memory_backend(), sqlite_backend()), name_of_test);

}  // namespace
}  // namespace annals::test
