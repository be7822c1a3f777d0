#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/contract/store/sqlite/sqlite_test.hpp"

namespace annals::test {
namespace {

/// A child process of this one; made before anything else happens in the test, so that no open file
/// and no thread is shared. Used on one thread.
class Child {
 public:
  /// Runs `body`, whose result is the exit code, after `go` was called.
  explicit Child(const std::function<int()>& body) {
    if (::pipe(start_) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::close(start_[1]);
    char go = 0;
    const bool started = ::read(start_[0], &go, 1) == 1;
    int code = 99;
    try {
      if (started) code = body();
    } catch (const std::exception&) {
      code = 98;
    }
    ::_exit(code);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::close(start_[0]);
    ::close(start_[1]);
    if (pid_ > 0) wait();
  }

  void go() { EXPECT_EQ(::write(start_[1], "x", 1), 1); }

  /// The exit code.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
  }

 private:
  int start_[2] = {-1, -1};
  int pid_ = -1;
};

class Processes : public SqliteTest {
 protected:
  /// Appends `count` groups of two events, each in a transaction of its own.
  int append_many(std::uint64_t own_seed, int count) {
    EventWriter own(own_seed);
    const auto store = open();
    for (int i = 0; i < count; ++i)
      own.append(*store, EventWriter::events(2, "shared"));
    return 0;
  }
};

TEST_F(Processes, WriteOneSequenceAndOneChain) {
  Child first([&] { return append_many(seed() + 1, 60); });
  Child second([&] { return append_many(seed() + 2, 60); });
  // All three may be the one that makes the log.
  first.go();
  second.go();
  EXPECT_EQ(append_many(seed() + 3, 60), 0);
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  const auto store = open();
  EXPECT_EQ(store->events().state()->event_seq, 360U);
  const auto page = store->events().stream_page("shared", {.limit = 1000});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->records.size(), 360U);
  std::optional<Digest> previous;
  std::uint64_t seq = 0;
  for (const auto& record : page->records) {
    EXPECT_EQ(record.header.seq, ++seq);
    EXPECT_EQ(record.prev_hash, previous);
    previous = record.row_hash;
  }
}

TEST_F(Processes, HearOfEachOthersCommits) {
  Child other([&] { return append_many(seed() + 1, 1); });
  const auto store = open();
  other.go();
  EXPECT_EQ(store->changes().wait(0, std::chrono::seconds(60)), 2U);
  EXPECT_EQ(other.wait(), 0);
}

TEST_F(Processes, OnlyOneServesAFile) {
  Child other([&] {
    const auto store = open();
    return store->lock_server()                                                ? 0
           : store->lock_server().error().code == ErrorCode::store_unavailable ? 1
                                                                               : 2;
  });
  auto store = open();
  ASSERT_TRUE(store->lock_server());
  other.go();
  EXPECT_EQ(other.wait(), 1);
}

TEST_F(Processes, TheDeathOfAServerFreesTheFile) {
  Child other([&] {
    const auto store = open();
    if (!store->lock_server()) return 1;
    ::_exit(0);
  });
  other.go();
  EXPECT_EQ(other.wait(), 0);
  EXPECT_TRUE(open()->lock_server());
}

TEST_F(Processes, DeathInATransactionLeavesNothing) {
  Child other([&] {
    const auto store = open();
    EventWriter own(seed() + 1);
    auto transaction = *store->begin_write(std::chrono::seconds(5));
    if (!transaction->append(own.place(*transaction, EventWriter::events(500, "a")))) return 1;
    ::_exit(0);
  });
  make_log();
  other.go();
  EXPECT_EQ(other.wait(), 0);
  const auto store = open();
  EXPECT_EQ(store->events().state()->event_seq, 3U);
  EXPECT_EQ(writer().append(*store, EventWriter::events(1)).records[0].header.seq, 4U);
}

}  // namespace
}  // namespace annals::test
