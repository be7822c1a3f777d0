#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/canonical.hpp"
#include "core/hash.hpp"
#include "testing/expect_findings.hpp"

namespace annals::log {
namespace {

using test::finding;
using test::other_digest;
using test::RecordedLog;
using test::run;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;

struct Change {
  const char* name;
  const char* what;
  std::function<void(Record&)> apply;
};

void PrintTo(const Change& change, std::ostream* out) {
  *out << change.name;
}

class ChangedField : public ::testing::TestWithParam<Change> {};

TEST_P(ChangedField, IsFoundAtItsEvent) {
  for (const std::string stream : {"a", ""}) {
    RecordedLog log;
    log.append({"a", "", stream, stream, "a", ""});
    const auto untouched = log.at(4);
    GetParam().apply(log.at(4));
    ASSERT_NE(log.at(4), untouched) << "the test changed nothing";
    const auto report = run(log);
    EXPECT_THAT(report.findings,
                Contains(AllOf(Field(&Finding::seq, 4), Field(&Finding::what, GetParam().what))));
    EXPECT_LT(report.verified, report.events);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, ChangedField,
    ::testing::Values(
        Change{"log_id", "header", [](Record& r) { r.header.log_id.bytes[3] ^= 1; }},
        Change{"id", "header", [](Record& r) { r.header.id.bytes[3] ^= 1; }},
        Change{"type", "header", [](Record& r) { r.header.type = "order.paid"; }},
        Change{"schema_version", "header", [](Record& r) { ++r.header.schema_version; }},
        Change{"source", "header", [](Record& r) { r.header.source.reset(); }},
        Change{"occurred_at", "header",
               [](Record& r) { r.header.occurred_at += std::chrono::microseconds(1); }},
        Change{"recorded_at", "header",
               [](Record& r) { r.header.recorded_at -= std::chrono::microseconds(1); }},
        Change{"space_id", "header", [](Record& r) { r.header.scope.space_id = "x"; }},
        Change{"channel_id", "header", [](Record& r) { r.header.scope.channel_id = "x"; }},
        Change{"thread_id", "header", [](Record& r) { r.header.scope.thread_id = "x"; }},
        Change{"resource_kind", "header", [](Record& r) { r.header.resource.kind = "x"; }},
        Change{"resource_id", "header", [](Record& r) { r.header.resource.id.reset(); }},
        Change{"resource_version", "header", [](Record& r) { r.header.resource.version = 0; }},
        Change{"receive_action", "header", [](Record& r) { r.header.receive_action = "self"; }},
        Change{"permission_version", "header", [](Record& r) { ++r.header.permission_version; }},
        Change{"key_id", "header", [](Record& r) { r.header.key_id.bytes[9] ^= 1; }},
        Change{"private", "header", [](Record& r) { r.header.is_private = false; }},
        Change{"truncated", "header", [](Record& r) { r.header.truncated = true; }},
        Change{"payload_digest", "header",
               [](Record& r) { r.header.payload_digest = other_digest(); }},
        Change{"meta_digest", "header", [](Record& r) { r.header.meta_digest = other_digest(); }},
        Change{"no_meta_digest", "header", [](Record& r) { r.header.meta_digest.reset(); }},
        Change{"row_hash", "header", [](Record& r) { r.row_hash = other_digest(); }},
        Change{"prev_hash", "link", [](Record& r) { r.prev_hash = other_digest(); }},
        Change{"payload", "payload", [](Record& r) { r.payload->bytes = R"({"number":5})"; }},
        Change{"payload_salt", "payload", [](Record& r) { r.payload->salt[0] ^= 1; }},
        Change{"meta", "meta", [](Record& r) { r.meta->bytes.insert(1, " "); }},
        Change{"meta_salt", "meta", [](Record& r) { r.meta->salt[0] ^= 1; }},
        Change{"redacted_at", "redacted_at", [](Record& r) { r.redacted_at = Timestamp{}; }}),
    [](const auto& change) { return std::string(change.param.name); });

TEST(VerifyLog, MovedToAnotherStream) {
  RecordedLog log;
  log.append({"a", "b", "a", "b"});
  log.at(3).header.stream = "b";
  EXPECT_THAT(run(log).findings, Contains(finding("tampered", "header", "b", 3)));
}

TEST(VerifyLog, ChangedPrevHashAloneIsOneFinding) {
  RecordedLog log;
  log.append({"a", "a", "a"});
  const auto parent = log.at(1).row_hash;
  log.at(2).prev_hash = other_digest();
  EXPECT_THAT(run(log).findings,
              ElementsAre(AllOf(finding("tampered", "link", "a", 2),
                                Field(&Finding::expected, to_hex(parent)),
                                Field(&Finding::actual, to_hex(other_digest())))));
}

TEST(VerifyLog, ChangedFieldIsOneFindingWithBothHashes) {
  RecordedLog log;
  log.append({"a", "a", "a"});
  log.at(2).header.type = "order.paid";
  const auto actual = core::row_hash(log.at(2).prev_hash, core::header_bytes(log.at(2).header));
  EXPECT_THAT(run(log).findings,
              ElementsAre(AllOf(finding("tampered", "header", "a", 2),
                                Field(&Finding::expected, to_hex(log.at(2).row_hash)),
                                Field(&Finding::actual, to_hex(actual)))));
}

TEST(VerifyLog, MetaThatIsNotCanonicalIsFoundEvenWithRightHashes) {
  RecordedLog log;
  log.append({"", ""});
  Record& record = log.at(2);
  record.meta->bytes.insert(1, " ");
  record.header.meta_digest = core::part_digest(record.meta->salt, record.meta->bytes);
  record.row_hash = core::row_hash(std::nullopt, core::header_bytes(record.header));
  EXPECT_THAT(run(log).findings, Contains(finding("tampered", "meta", "", 2)));
}

TEST(VerifyLog, PrivateWithoutAudienceIsFoundEvenWithRightHashes) {
  RecordedLog log;
  log.append({"", ""});
  Record& record = log.at(2);
  record.header.is_private = false;
  record.row_hash = core::row_hash(std::nullopt, core::header_bytes(record.header));
  EXPECT_THAT(run(log).findings, Contains(AllOf(finding("tampered", "meta", "", 2),
                                                Field(&Finding::actual, "an audience"))));
}

}  // namespace
}  // namespace annals::log
