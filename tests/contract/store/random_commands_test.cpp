#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "testing/event_gen.hpp"
#include "testing/random.hpp"
#include "tests/contract/store/store_contract.hpp"

namespace annals::test {
namespace {

using std::chrono::milliseconds;

/// Does the same random things to a store of the model and to one under test and compares every
/// answer. Used on one thread.
class Pair {
 public:
  Pair(const StoreBackend& backend, std::uint64_t own_seed)
      : random_(own_seed),
        gen_(own_seed, {.streams = 5, .payload_bytes = 100, .edge_percent = 0}),
        writer_(own_seed),
        new_log_(writer_.new_log()),
        places_{memory_backend().make(), backend.make()} {
    reopen();
  }

  void step() {
    switch (random_.below(12)) {
      case 0:
        return reopen();
      case 1:
        return skip();
      case 2:
        return cut();
      case 3:
      case 4:
        return read_pages();
      case 5:
        return read_streams();
      default:
        return write();
    }
  }

  void compare_all() {
    for (std::uint64_t after = 0;;) {
      const auto page = same([&](log::Store& s) { return s.events().page({after, 0, 1000}); });
      if (!page || page->records.empty()) break;
      after = page->records.back().header.seq;
    }
    (void)same([](log::Store& s) { return s.events().state(); });
    (void)same([](log::Store& s) { return s.events().gaps(); });
    (void)same([](log::Store& s) { return s.events().count(); });
    (void)same([](log::Store& s) { return s.events().streams("", "", 1000); });
    (void)same([](log::Store& s) { return s.admin().keys(); });
    (void)same([](log::Store& s) { return s.admin().catalogue(); });
  }

 private:
  /// The common answer; details of errors may differ.
  template <typename Ask>
  auto same(Ask ask) -> decltype(ask(std::declval<log::Store&>())) {
    auto expected = ask(*stores_[0]);
    const auto actual = ask(*stores_[1]);
    compare(expected, actual);
    return expected;
  }

  template <typename T>
  static void compare(const Result<T>& expected, const Result<T>& actual) {
    ASSERT_EQ(expected.has_value(), actual.has_value())
        << (expected ? actual.error().detail : expected.error().detail);
    if (!expected) {
      EXPECT_EQ(expected.error().code, actual.error().code);
    } else if constexpr (std::is_same_v<T, Page>) {
      EXPECT_EQ(expected->records, actual->records);
      EXPECT_EQ(expected->head, actual->head);
      EXPECT_EQ(expected->oldest, actual->oldest);
      EXPECT_EQ(expected->caught_up, actual->caught_up);
      EXPECT_EQ(expected->scanned, actual->scanned);
    } else if constexpr (std::is_same_v<T, StreamPage>) {
      EXPECT_EQ(expected->records, actual->records);
      EXPECT_EQ(expected->version, actual->version);
    } else if constexpr (!std::is_void_v<T>) {
      EXPECT_EQ(*expected, *actual);
    }
  }

  void reopen() {
    for (std::size_t i = 0; i < 2; ++i) {
      stores_[i].reset();
      stores_[i] = places_[i]->make();
      ASSERT_TRUE(stores_[i]->open(new_log_));
    }
  }

  void skip() {
    const auto head = stores_[0]->events().state()->event_seq;
    const auto to = head + random_.between(1, 50);
    for (const auto& place : places_)
      place->skip_to(to);
  }

  void cut() {
    const auto state = *stores_[0]->events().state();
    if (state.event_seq <= state.oldest) return;
    const auto oldest = random_.between(state.oldest, state.event_seq);
    for (const auto& place : places_)
      place->cut(oldest);
  }

  std::uint64_t some_seq() { return random_.below(stores_[0]->events().state()->event_seq + 3); }

  void read_pages() {
    const ReadOptions options{some_seq(),
                              some_seq(),
                              random_.between(0, 20),
                              random_.chance(50) ? Order::forward : Order::backward,
                              {},
                              random_.between(0, 30)};
    const auto page = same([&](log::Store& s) { return s.events().page(options); });
    const auto seq = some_seq();
    (void)same([&](log::Store& s) { return s.events().find(seq); });
    (void)same([&](log::Store& s) { return s.events().mark_at_or_before(seq); });
    if (page && !page->records.empty()) {
      const auto id = random_.pick(page->records).header.id;
      (void)same([&](log::Store& s) { return s.events().find(id); });
    }
  }

  void read_streams() {
    const auto stream = random_.pick(gen_.streams());
    const StreamReadOptions options{random_.below(10), random_.below(10), random_.between(1, 9),
                                    random_.chance(50) ? Order::forward : Order::backward, false};
    (void)same([&](log::Store& s) { return s.events().stream_page(stream, options); });
    (void)same([&](log::Store& s) { return s.events().stream(stream); });
    const auto prefix = stream.substr(0, random_.below(3));
    const auto after = random_.chance(50) ? std::string{} : random_.pick(gen_.streams());
    (void)same([&](log::Store& s) { return s.events().streams(prefix, after, 3); });
  }

  log::StoredKey some_key() {
    log::StoredKey key;
    key.key.key_id.bytes.fill(static_cast<std::uint8_t>(random_.between(1, 4)));
    key.key.name = random_.pick({"Alex", "Sam", "Robin"});
    if (random_.chance(50)) key.key.append = {"a.*", "b.c"};
    for (const char* grant : {"all", "own", "channel=c1:notify,read", "stream=a::x"}) {
      if (random_.chance(40)) key.key.read.insert(*parse_read_grant(grant));
    }
    for (const char* range : {"10.0.0.0/8", "::/0", "::1/128"}) {
      if (random_.chance(30)) key.key.from.insert(*parse_address_range(range));
    }
    if (random_.chance(50)) key.key.principal = random_.pick({"user/1", "agent/2"});
    key.key.created_at = some_time();
    if (random_.chance(30)) key.key.revoked_at = some_time();
    return key;
  }

  Timestamp some_time() {
    return Timestamp{std::chrono::microseconds(static_cast<std::int64_t>(random_.below(100)))};
  }

  /// One command in both transactions.
  void administrate(log::AdminWriter& model, log::AdminWriter& tested) {
    const auto both = [&](auto ask) { compare(ask(model), ask(tested)); };
    Digest digest{};
    digest.fill(static_cast<std::uint8_t>(random_.below(4)));
    const auto key = some_key();
    const auto time = some_time();
    switch (random_.below(6)) {
      case 0:
        both([&](log::AdminWriter& admin) { return admin.put_key(key); });
        return both([&](log::AdminWriter& admin) { return admin.keys(); });
      case 1: {
        const log::StoredCatalogue catalogue{key.key.name, random_.between(1, 9)};
        both([&](log::AdminWriter& admin) { return admin.put_catalogue(catalogue); });
        return both([&](log::AdminWriter& admin) { return admin.catalogue(); });
      }
      case 2: {
        const log::StoredAnswer answer{
            key.key.key_id, key.key.name, digest, 200, {random_.below(5), random_.below(5)}, time};
        return both([&](log::AdminWriter& admin) { return admin.put_answer(answer); });
      }
      case 3:
        both([&](log::AdminWriter& admin) { return admin.client_message(digest); });
        return both(
            [&](log::AdminWriter& admin) { return admin.answer(key.key.key_id, key.key.name); });
      case 4: {
        const log::ClientMessage message{digest, random_.between(1, 9), time};
        return both([&](log::AdminWriter& admin) { return admin.put_client_message(message); });
      }
      default: {
        const auto limit = random_.below(3);
        return both([&](log::AdminWriter& admin) { return admin.expire_requests(time, limit); });
      }
    }
  }

  void write() {
    auto model = *stores_[0]->begin_write(milliseconds(10'000));
    auto tested = *stores_[1]->begin_write(milliseconds(10'000));
    for (auto commands = random_.between(0, 4); commands > 0; --commands) {
      if (random_.chance(40)) {
        administrate(model->admin(), tested->admin());
        continue;
      }
      auto placement = writer_.place(*model, gen_.batch(random_.between(1, 6)));
      std::set<std::string> names;
      for (const auto& head : placement.heads)
        names.insert(head.stream);
      const std::vector<std::string> streams(names.begin(), names.end());
      compare(model->heads(streams), tested->heads(streams));
      if (random_.chance(10)) placement.before.log_hash[3] ^= 1;
      compare(model->append(placement), tested->append(placement));
      const std::vector<Uuid> ids{placement.records.front().header.id, writer_.ids().random_id()};
      compare(model->find_ids(ids), tested->find_ids(ids));
      compare(model->lock_state(), tested->lock_state());
    }
    if (random_.chance(25)) {
      model->rollback();
      tested->rollback();
    } else {
      compare(model->commit(), tested->commit());
    }
    if (random_.chance(20)) stores_[1]->maintain(random_.chance(50));
  }

  Random random_;
  EventGen gen_;
  EventWriter writer_;
  log::NewLog new_log_;
  std::unique_ptr<StoreFixture> places_[2];
  std::unique_ptr<log::Store> stores_[2];
};

TEST(StoreModel, RandomCommandsGiveTheAnswersOfTheModel) {
  for (std::uint64_t round = 0; round < 12; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Pair pair(sqlite_backend(), seed() + round);
    for (int i = 0; i < 60; ++i) {
      pair.step();
      if (::testing::Test::HasFailure()) return;
    }
    pair.compare_all();
  }
}

}  // namespace
}  // namespace annals::test
