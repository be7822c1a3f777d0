#include "tests/contract/store/store_contract.hpp"

namespace annals::test {
namespace {

Timestamp at(int second) {
  return Timestamp{std::chrono::seconds(second)};
}

Digest digest(std::uint8_t byte) {
  Digest value{};
  value.fill(byte);
  return value;
}

log::StoredKey key(const Uuid& id, std::string name, int created) {
  log::StoredKey stored;
  stored.key.key_id = id;
  stored.key.name = std::move(name);
  stored.key.append = {"order.*", "user.created"};
  stored.key.read = {ReadGrant::own(), *parse_read_grant("stream=order::notify,read")};
  stored.key.principal = "user/42";
  stored.key.from = {*parse_address_range("10.0.0.0/8"), *parse_address_range("2001:db8::/32")};
  stored.key.created_at = at(created);
  stored.secret_hash = digest(static_cast<std::uint8_t>(created));
  return stored;
}

TEST_P(StoreContract, KeysAreListedByTimeOfCreation) {
  const auto first = key(writer().ids().random_id(), "Sam", 1);
  auto second = key(writer().ids().random_id(), "Robin", 2);
  second.key.append = {};
  second.key.read = {ReadGrant::all()};
  second.key.expires_at = at(1000);
  second.key.revoked_at = at(500);
  const auto transaction = begin();
  ASSERT_TRUE(transaction->admin().put_key(second));
  ASSERT_TRUE(transaction->admin().put_key(first));
  EXPECT_EQ(transaction->admin().keys(), (std::vector{first, second}));
  EXPECT_TRUE(store().admin().keys()->empty());
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(store().admin().keys(), (std::vector{first, second}));
  EXPECT_EQ(value(store().admin().key(second.key.key_id)), second);
  EXPECT_EQ(value(store().admin().key(writer().ids().random_id())), std::nullopt);
  reopen();
  EXPECT_EQ(store().admin().keys(), (std::vector{first, second}));
}

TEST_P(StoreContract, AKeyIsReplacedByItsId) {
  auto changed = key(writer().ids().random_id(), "Sam", 1);
  auto transaction = begin();
  ASSERT_TRUE(transaction->admin().put_key(changed));
  ASSERT_TRUE(transaction->commit());
  changed.key.name = "";
  changed.key.append = {"*"};
  changed.key.read = {};
  changed.key.principal.reset();
  changed.key.from = {};
  changed.key.revoked_at = at(9);
  changed.secret_hash = digest(200);
  transaction = begin();
  ASSERT_TRUE(transaction->admin().put_key(changed));
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(store().admin().keys(), std::vector{changed});
}

TEST_P(StoreContract, TheReservedKeyIsHiddenAndFixed) {
  EXPECT_EQ(value(store().admin().key(new_log().local_key_id)), std::nullopt);
  const auto transaction = begin();
  EXPECT_EQ(code_of(transaction->admin().put_key(key(new_log().local_key_id, "x", 1))),
            ErrorCode::internal);
}

TEST_P(StoreContract, TheCatalogueIsReplaced) {
  for (const auto& catalogue :
       {log::StoredCatalogue{R"({"types":[]})", 3}, log::StoredCatalogue{"{}", 8}}) {
    const auto transaction = begin();
    ASSERT_TRUE(transaction->admin().put_catalogue(catalogue));
    EXPECT_EQ(transaction->admin().catalogue(), catalogue);
    ASSERT_TRUE(transaction->commit());
    EXPECT_EQ(store().admin().catalogue(), catalogue);
  }
}

TEST_P(StoreContract, AnswersAreFoundByKeyAndIdempotencyKey) {
  const auto one = writer().ids().random_id();
  const auto two = writer().ids().random_id();
  const log::StoredAnswer answer{one, "retry-\xC3\xA9", digest(1), 201, {7, 3, 4, 5, 9}, at(1)};
  log::StoredAnswer empty{two, "retry-\xC3\xA9", digest(2), 202, {}, at(2)};
  const auto transaction = begin();
  ASSERT_TRUE(transaction->admin().put_answer(answer));
  ASSERT_TRUE(transaction->admin().put_answer(empty));
  EXPECT_EQ(value(transaction->admin().answer(one, "retry-\xC3\xA9")), answer);
  EXPECT_EQ(value(transaction->admin().answer(two, "retry-\xC3\xA9")), empty);
  EXPECT_EQ(value(transaction->admin().answer(one, "retry")), std::nullopt);
  empty.status = 200;
  empty.seqs = {1};
  ASSERT_TRUE(transaction->admin().put_answer(empty));
  ASSERT_TRUE(transaction->commit());
  reopen();
  EXPECT_EQ(value(begin()->admin().answer(one, "retry-\xC3\xA9")), answer);
  EXPECT_EQ(value(begin()->admin().answer(two, "retry-\xC3\xA9")), empty);
}

TEST_P(StoreContract, ClientMessagesAreReplaced) {
  auto transaction = begin();
  ASSERT_TRUE(transaction->admin().put_client_message({digest(1), 5, at(1)}));
  ASSERT_TRUE(transaction->admin().put_client_message({digest(2), 6, at(1)}));
  ASSERT_TRUE(transaction->admin().put_client_message({digest(1), 9, at(3)}));
  ASSERT_TRUE(transaction->commit());
  transaction = begin();
  EXPECT_EQ(value(transaction->admin().client_message(digest(1))),
            (log::ClientMessage{digest(1), 9, at(3)}));
  EXPECT_EQ(value(transaction->admin().client_message(digest(3))), std::nullopt);
}

TEST_P(StoreContract, ExpiryTakesTheOldestUpToALimit) {
  const auto owner = writer().ids().random_id();
  auto transaction = begin();
  for (int i = 1; i <= 5; ++i) {
    const auto byte = static_cast<std::uint8_t>(i);
    ASSERT_TRUE(transaction->admin().put_answer(
        {owner, "key-" + std::to_string(i), digest(byte), 200, {}, at(i)}));
    ASSERT_TRUE(transaction->admin().put_client_message({digest(byte), 1, at(i)}));
  }
  ASSERT_TRUE(transaction->commit());

  const auto left = [&](log::AdminWriter& admin) {
    std::string kept;
    for (int i = 1; i <= 5; ++i) {
      const auto byte = static_cast<std::uint8_t>(i);
      const bool answer = admin.answer(owner, "key-" + std::to_string(i))->has_value();
      EXPECT_EQ(answer, admin.client_message(digest(byte))->has_value());
      if (answer) kept += std::to_string(i);
    }
    return kept;
  };
  transaction = begin();
  ASSERT_TRUE(transaction->admin().expire_requests(at(4), 2));
  EXPECT_EQ(left(transaction->admin()), "345");
  transaction->rollback();
  transaction = begin();
  EXPECT_EQ(left(transaction->admin()), "12345");
  ASSERT_TRUE(transaction->admin().expire_requests(at(4), 1000));
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(left(begin()->admin()), "45");
}

TEST_P(StoreContract, AdministrationAndEventsAreOneTransaction) {
  const auto stored = key(writer().ids().random_id(), "Sam", 1);
  auto transaction = begin();
  ASSERT_TRUE(transaction->append(writer().place(*transaction, EventWriter::events(1))));
  ASSERT_TRUE(transaction->admin().put_key(stored));
  transaction->rollback();
  EXPECT_EQ(state().event_seq, 0U);
  EXPECT_TRUE(store().admin().keys()->empty());
  transaction = begin();
  ASSERT_TRUE(transaction->append(writer().place(*transaction, EventWriter::events(1))));
  ASSERT_TRUE(transaction->admin().put_key(stored));
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(state().event_seq, 1U);
  EXPECT_EQ(store().admin().keys()->size(), 1U);
}

}  // namespace
}  // namespace annals::test
