#include "core/catalogue.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace annals::core {
namespace {

using namespace std::chrono_literals;

Catalogue parsed(std::string_view json) {
  auto catalogue = Catalogue::parse(json);
  EXPECT_TRUE(catalogue) << catalogue.error().detail;
  return catalogue ? std::move(*catalogue) : Catalogue{};
}

TEST(Catalogue, EmptyHasNothing) {
  for (const auto& catalogue : {Catalogue{}, parsed("{}"), parsed(R"({"types":[]})")}) {
    EXPECT_TRUE(catalogue.entries().empty());
    EXPECT_TRUE(catalogue.retention_classes().empty());
    EXPECT_EQ(catalogue.find("order.paid"), nullptr);
    EXPECT_EQ(catalogue.filter("status"), nullptr);
    EXPECT_FALSE(catalogue.critical("order.paid"));
  }
  EXPECT_EQ(Catalogue{}.document(), "{}");
}

TEST(Catalogue, ReadsEveryMember) {
  const auto catalogue = parsed(R"({
    "retention_classes": {
      "audit": {"keep": "36500d"},
      "brief": {"keep": "30s", "on_expiry": "redact"},
      "cut": {"keep": "15m", "on_expiry": "cut"}
    },
    "types": [
      {"pattern": "query.*", "description": "Runs of queries", "schema": {"required": ["q"]},
       "resource_kind": "query", "receive_action": "read", "critical": true,
       "retention_class": "audit",
       "labels": {"status": {"description": "How it ended", "values": ["ok", "error", ""],
                             "filter": true},
                  "engine": {}}},
      {"pattern": "note.sent", "retention_class": "default"}
    ]})");
  ASSERT_EQ(catalogue.entries().size(), 2U);
  const TypeEntry& query = catalogue.entries()[0];
  EXPECT_EQ(query.pattern, "query.*");
  EXPECT_EQ(query.resource_kind, "query");
  EXPECT_EQ(query.receive_action, "read");
  EXPECT_TRUE(query.critical);
  EXPECT_EQ(query.retention_class, "audit");
  EXPECT_NE(query.schema, nullptr);
  EXPECT_EQ(query.labels.size(), 2U);
  EXPECT_EQ(query.labels.at("status"),
            (LabelRule{.allowed_values = {"", "error", "ok"}, .filter = true}));
  EXPECT_EQ(query.labels.at("engine"), LabelRule{});

  const TypeEntry& note = catalogue.entries()[1];
  EXPECT_EQ(note.resource_kind, "event");
  EXPECT_EQ(note.receive_action, std::nullopt);
  EXPECT_FALSE(note.critical);
  EXPECT_EQ(note.retention_class, "default");
  EXPECT_EQ(note.schema, nullptr);

  const auto& classes = catalogue.retention_classes();
  ASSERT_EQ(classes.size(), 3U);
  EXPECT_EQ(classes.at("audit"), (RetentionClass{std::chrono::days(36'500), OnExpiry::cut}));
  EXPECT_EQ(classes.at("brief"), (RetentionClass{30s, OnExpiry::redact}));
  EXPECT_EQ(classes.at("cut"), (RetentionClass{15min, OnExpiry::cut}));
}

TEST(Catalogue, DocumentIsKeptTokenForToken) {
  const auto catalogue =
      parsed("{ \"types\" : [ { \"pattern\":\"a.b\", \"schema\": {\"maximum\" : 1.0e2} } ] }\n");
  EXPECT_EQ(catalogue.document(), R"({"types":[{"pattern":"a.b","schema":{"maximum":1.0e2}}]})");
  EXPECT_EQ(parsed(catalogue.document()).document(), catalogue.document());
}

TEST(Catalogue, ExactNameWinsThenTheLongestPrefix) {
  const auto catalogue = parsed(R"({"types": [
      {"pattern": "a.*"}, {"pattern": "a.b.*"}, {"pattern": "a.b.c"}, {"pattern": "a.b.!"},
      {"pattern": "z"}]})");
  const auto pattern = [&](std::string_view type) {
    const auto* entry = catalogue.find(type);
    return entry == nullptr ? "none" : entry->pattern;
  };
  EXPECT_EQ(pattern("a.b.c"), "a.b.c");
  EXPECT_EQ(pattern("a.b.d"), "a.b.*");
  EXPECT_EQ(pattern("a.b.c.d"), "a.b.*");
  EXPECT_EQ(pattern("a.b"), "a.*");
  EXPECT_EQ(pattern("a.x.y.z"), "a.*");
  EXPECT_EQ(pattern("a"), "none");
  EXPECT_EQ(pattern("ab.c"), "none");
  EXPECT_EQ(pattern("z"), "z");
  EXPECT_EQ(pattern("z.y"), "none");
  EXPECT_EQ(pattern(""), "none");
  EXPECT_EQ(pattern("."), "none");
}

TEST(Catalogue, ChecksPayloadsOfTypesWithASchema) {
  const auto catalogue =
      parsed(R"({"types":[{"pattern":"a.b","schema":{"required":["q"]}},{"pattern":"a.c"}]})");
  std::vector<Violation> violations;
  catalogue.check_payload(*catalogue.find("a.b"), R"({"q":1})", 4, violations);
  catalogue.check_payload(*catalogue.find("a.c"), "{}", 4, violations);
  EXPECT_TRUE(violations.empty());
  catalogue.check_payload(*catalogue.find("a.b"), "{}", 4, violations);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].index, 4U);
  EXPECT_EQ(violations[0].pointer, "/payload");
  EXPECT_EQ(violations[0].rule, "schema.required");
}

TEST(Catalogue, FiltersAcceptTheValuesOfAllTypes) {
  const auto catalogue = parsed(R"({"types": [
      {"pattern": "a.*", "labels": {"status": {"values": ["ok"], "filter": true},
                                    "engine": {"values": ["x"], "filter": true},
                                    "quiet": {"values": ["x"]}}},
      {"pattern": "b.*", "labels": {"status": {"values": ["late"]}, "engine": {}}}]})");
  ASSERT_NE(catalogue.filter("status"), nullptr);
  EXPECT_EQ(catalogue.filter("status")->allowed_values,
            (std::set<std::string, std::less<>>{"late", "ok"}));
  ASSERT_NE(catalogue.filter("engine"), nullptr);
  EXPECT_TRUE(catalogue.filter("engine")->allowed_values.empty());
  EXPECT_EQ(catalogue.filter("quiet"), nullptr);
}

struct Refused {
  std::string document;
  std::string pointer;
};

/// A document with one type and these members besides its pattern.
std::string type_with(const std::string& members) {
  return R"({"types":[{"pattern":"a.b",)" + members + "}]}";
}

std::string class_with(const std::string& name, const std::string& members) {
  return R"({"retention_classes":{")" + name + R"(":{)" + members + "}}}";
}

TEST(Catalogue, RefusesWithThePlace) {
  const Refused cases[] = {
      {"", "its root"},
      {"[]", "its root"},
      {"{}x", "its root"},
      {R"({"types":[],"types":[]})", "/types"},
      {R"({"typs":[]})", "/typs"},
      {R"({"types":{}})", "/types"},
      {R"({"types":[1]})", "/types/0"},
      {R"({"types":[{}]})", "/types/0"},
      {R"({"types":[{"pattern":"a.b"},{"pattern":"a.b"}]})", "/types/1/pattern"},
      {R"({"types":[{"pattern":"a.*"},{"pattern":"a.*"}]})", "/types/1/pattern"},
      {R"({"types":[{"pattern":""}]})", "/types/0/pattern"},
      {R"({"types":[{"pattern":"*"}]})", "/types/0/pattern"},
      {R"({"types":[{"pattern":"a.*.b"}]})", "/types/0/pattern"},
      {R"({"types":[{"pattern":"a b"}]})", "/types/0/pattern"},
      {R"({"types":[{"pattern":1}]})", "/types/0/pattern"},
      {R"({"types":[{"pattern":")" + std::string(201, 'a') + R"("}]})", "/types/0/pattern"},
      {R"({"types":[{"pattern":"log.redacted"}]})", "/types/0/pattern"},
      {R"({"types":[{"pattern":"log.*"}]})", "/types/0/pattern"},
      {R"({"types":[{"pattern":"access.*"}]})", "/types/0/pattern"},
      {type_with(R"("description":1)"), "/types/0/description"},
      {type_with(R"("schema":1)"), "/types/0/schema"},
      {type_with(R"("schema":{"x":1})"), "/types/0/schema/x"},
      {type_with(R"("schema":{"$ref":"http://example.com/s"})"), "/types/0/schema/$ref"},
      {type_with(R"("schema":{"default":null})"), "/types/0/schema/default"},
      {type_with(R"("resource_kind":"")"), "/types/0/resource_kind"},
      {type_with(R"("resource_kind":1)"), "/types/0/resource_kind"},
      {type_with(R"("resource_kind":"a\u0000")"), "/types/0/resource_kind"},
      {type_with(R"("receive_action":"Read")"), "/types/0/receive_action"},
      {type_with(R"("receive_action":["read"])"), "/types/0/receive_action"},
      {type_with(R"("critical":"yes")"), "/types/0/critical"},
      {type_with(R"("critical":1)"), "/types/0/critical"},
      {type_with(R"("retention_class":"audit")"), "/types/0/retention_class"},
      {type_with(R"("retention_class":1)"), "/types/0/retention_class"},
      {type_with(R"("criticl":true)"), "/types/0/criticl"},
      {type_with(R"("labels":[])"), "/types/0/labels"},
      {type_with(R"("labels":{"Bad":{}})"), "/types/0/labels/Bad"},
      {type_with(R"("labels":{"a":1})"), "/types/0/labels/a"},
      {type_with(R"("labels":{"a":{"value":[]}})"), "/types/0/labels/a/value"},
      {type_with(R"("labels":{"a":{"values":[]}})"), "/types/0/labels/a/values"},
      {type_with(R"("labels":{"a":{"values":"x"}})"), "/types/0/labels/a/values"},
      {type_with(R"("labels":{"a":{"values":[1]}})"), "/types/0/labels/a/values"},
      {type_with(R"("labels":{"a":{"values":["x","x"]}})"), "/types/0/labels/a/values"},
      {type_with(R"("labels":{"a":{"values":[")" + std::string(257, 'v') + R"("]}})"),
       "/types/0/labels/a/values"},
      {type_with(R"("labels":{"a":{"filter":1}})"), "/types/0/labels/a/filter"},
      {type_with(R"("labels":{"a":{"description":1}})"), "/types/0/labels/a/description"},
      {type_with(R"("labels":{"after":{"filter":true}})"), "/types/0/labels/after"},
      {type_with(R"("labels":{"type":{"filter":true}})"), "/types/0/labels/type"},
      {R"({"retention_classes":[]})", "/retention_classes"},
      {R"({"retention_classes":{"a":1}})", "/retention_classes/a"},
      {class_with("default", R"("keep":"1d")"), "/retention_classes/default"},
      {class_with("Audit", R"("keep":"1d")"), "/retention_classes/Audit"},
      {class_with("a", ""), "/retention_classes/a"},
      {class_with("a", R"("keep":"1d","x":1)"), "/retention_classes/a/x"},
      {class_with("a", R"("keep":"1d","on_expiry":"drop")"), "/retention_classes/a/on_expiry"},
      {class_with("a", R"("keep":"")"), "/retention_classes/a/keep"},
      {class_with("a", R"("keep":"d")"), "/retention_classes/a/keep"},
      {class_with("a", R"("keep":"0d")"), "/retention_classes/a/keep"},
      {class_with("a", R"("keep":"-1d")"), "/retention_classes/a/keep"},
      {class_with("a", R"("keep":"1.5d")"), "/retention_classes/a/keep"},
      {class_with("a", R"("keep":"1w")"), "/retention_classes/a/keep"},
      {class_with("a", R"("keep":"1 d")"), "/retention_classes/a/keep"},
      {class_with("a", R"("keep":90)"), "/retention_classes/a/keep"},
      {class_with("a", R"("keep":"36501d")"), "/retention_classes/a/keep"},
      {class_with("a", R"("keep":"99999999999999999999s")"), "/retention_classes/a/keep"},
  };
  for (const auto& [document, pointer] : cases) {
    const auto catalogue = Catalogue::parse(document);
    ASSERT_FALSE(catalogue) << document;
    EXPECT_EQ(catalogue.error().code, ErrorCode::invalid_request);
    EXPECT_TRUE(
        catalogue.error().detail.starts_with("The catalogue is not valid at " + pointer + ": "))
        << catalogue.error().detail;
  }
}

TEST(Catalogue, LabelNamedLikeAParameterIsFineWithoutFilter) {
  EXPECT_TRUE(Catalogue::parse(type_with(R"("labels":{"after":{}})")));
}

TEST(Catalogue, HasALimitOfSize) {
  const std::string frame = R"({"types":[]})";
  const auto padded = [&](std::size_t bytes) {
    return frame + std::string(bytes - frame.size(), ' ');
  };
  EXPECT_TRUE(Catalogue::parse(padded(Catalogue::max_bytes - 1)));
  EXPECT_TRUE(Catalogue::parse(padded(Catalogue::max_bytes)));
  const auto over = Catalogue::parse(padded(Catalogue::max_bytes + 1));
  ASSERT_FALSE(over);
  EXPECT_EQ(std::get<LimitExceeded>(over.error().details),
            (LimitExceeded{.name = "catalogue_max_bytes", .limit = 1'048'576}));
}

std::string file(const std::string& path) {
  const char* root = std::getenv("ANNALS_SOURCE_DIR");
  EXPECT_NE(root, nullptr);
  std::ifstream in(std::string(root == nullptr ? "." : root) + "/" + path);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Adding, removing or renaming a type of the log, or changing its importance, shows here.
TEST(LogTypes, GoldenFile) {
  std::string lines;
  for (const auto& type : log_types()) {
    lines += type + (is_critical_log_type(type) ? " critical\n" : "\n");
  }
  EXPECT_EQ(lines, file("src/core/testdata/log-types.txt"));
}

TEST(LogTypes, AreCriticalThroughTheCatalogue) {
  const auto catalogue = parsed(R"({"types":[{"pattern":"a.*","critical":true}]})");
  EXPECT_TRUE(catalogue.critical("log.chain_tamper_detected"));
  EXPECT_TRUE(Catalogue{}.critical("access.key_revoked"));
  EXPECT_FALSE(Catalogue{}.critical("log.dropped"));
  EXPECT_TRUE(catalogue.critical("a.b"));
  EXPECT_FALSE(catalogue.critical("b.a"));
}

/// The example of the documentation is a catalogue.
TEST(Catalogue, DocumentedExampleIsValid) {
  const std::string page = file("docs/catalogue.md");
  const std::string fence = "```json\n";
  const auto begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const auto from = begin + fence.size();
  const auto catalogue = parsed(page.substr(from, page.find("```", from) - from));
  EXPECT_EQ(catalogue.entries().size(), 3U);
  for (const char* name : {"kind", "query", "connection", "status"}) {
    EXPECT_NE(catalogue.filter(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace annals::core
