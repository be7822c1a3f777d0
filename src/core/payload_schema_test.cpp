#include "core/payload_schema.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace annals::core {
namespace {

std::expected<std::shared_ptr<const PayloadSchema>, SchemaFault> compile(std::string_view schema) {
  const auto value = JsonValue::parse(schema);
  EXPECT_TRUE(value) << schema;
  return PayloadSchema::compile(*value, "/types/0/schema");
}

std::vector<Violation> check(std::string_view schema, std::string_view payload) {
  const auto compiled = compile(schema);
  EXPECT_TRUE(compiled) << compiled.error().pointer << ": " << compiled.error().message;
  std::vector<Violation> violations;
  if (compiled) (*compiled)->check(payload, 5, violations);
  return violations;
}

struct Case {
  std::string schema;  ///< Of the member `v`.
  std::string good;    ///< Values separated by spaces.
  std::string bad;
  std::string keyword;
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.schema;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

class Keyword : public testing::TestWithParam<Case> {};

TEST_P(Keyword, TellsGoodFromBad) {
  const auto& [member, good, bad, keyword] = GetParam();
  const std::string schema = R"({"properties":{"v":)" + member + "}}";
  for (const auto& value : split(good)) {
    EXPECT_TRUE(check(schema, R"({"v":)" + value + "}").empty()) << value;
  }
  for (const auto& value : split(bad)) {
    const auto violations = check(schema, R"({"v":)" + value + "}");
    ASSERT_EQ(violations.size(), 1U) << value;
    EXPECT_EQ(violations[0].index, 5U);
    EXPECT_EQ(violations[0].pointer, "/payload/v") << value;
    EXPECT_EQ(violations[0].rule, "schema." + keyword) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(
    AnyValue, Keyword,
    testing::Values(
        Case{R"({"type":"string"})", R"("a" "")", R"(1 true [] {} 1.5)", "type"},
        Case{R"({"type":"integer"})", "0 -1 1.0 1e3 10e-1 123456789012345678901234567890",
             R"(1.5 1e-1 "1" true)", "type"},
        Case{R"({"type":"number"})", "0 1.5 1e400", R"("1" false)", "type"},
        Case{R"({"type":["boolean","array"]})", "true false []", R"({} 0)", "type"},
        Case{R"({"type":"object"})", "{}", "[]", "type"},
        Case{R"({"enum":["a",1,{"k":[1]}]})", R"("a" 1 1.0 {"k":[1]} {"k":[10e-1]})",
             R"("b" 2 {"k":[2]} {} [1])", "enum"},
        Case{R"({"const":{"a":1,"b":2}})", R"({"b":2,"a":1.0})", R"({"a":1} 1 "a")", "const"},
        Case{R"({"const":9007199254740993})", "9007199254740993",
             "9007199254740992 9007199254740994", "const"},
        Case{"true", "1 {}", "", ""}, Case{"false", "", "1 {}", "false"},
        Case{"{}", "1 {}", "", ""}, Case{R"({"not":{"type":"string"}})", "1 []", R"("a")", "not"},
        Case{R"({"anyOf":[{"type":"string"},{"minimum":5}]})", R"("a" 5 [])", "4", "anyOf"},
        Case{R"({"oneOf":[{"minimum":5},{"maximum":7}]})", "4 8", "5 6 7", "oneOf"},
        Case{R"({"allOf":[{"minimum":5},{"maximum":7}]})", "5 7", "", ""},
        Case{R"({"if":{"type":"string"},"then":{"minLength":2}})", R"("ab" 1)", R"("a")",
             "minLength"},
        Case{R"({"if":{"type":"string"},"else":{"minimum":2}})", R"("a" 2)", "1", "minimum"},
        Case{R"({"then":false,"else":false})", "1", "", ""}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, Keyword,
    testing::Values(
        Case{R"({"minimum":-1.5})", R"(-1.5 0 1e9 "-2")", "-1.51 -1e9", "minimum"},
        Case{R"({"maximum":10})", "10 9.99 -11", "10.0000000000000000001 1e2", "maximum"},
        Case{R"({"exclusiveMinimum":0})", "1e-400 1", "0 -0.0 -1", "exclusiveMinimum"},
        Case{R"({"exclusiveMaximum":9007199254740993})", "9007199254740992", "9007199254740993",
             "exclusiveMaximum"},
        Case{R"({"multipleOf":0.01})", "0 0.07 19.99 1e300 -3", "0.001 19.999 1e-300",
             "multipleOf"},
        Case{R"({"multipleOf":3})", R"(0 3 -6 3e10 9007199254740993 "4" 3e400000000000000000000)",
             "1 4 1.5 9007199254740994", "multipleOf"}));

INSTANTIATE_TEST_SUITE_P(
    Strings, Keyword,
    testing::Values(Case{R"({"minLength":2})", R"("ab" "\ud83d\ude00x" 1)",
                         R"("" "a" "\ud83d\ude00")", "minLength"},
                    Case{R"({"maxLength":2})", R"("ab" "\u00e9\u00e9" "\u0000\u0000" [1,2,3])",
                         R"("abc" "\u0000\u0000\u0000")", "maxLength"},
                    Case{R"({"pattern":"^a.c$"})", R"("abc" "a\u00e9c" "a\ud83d\ude00c" 1)",
                         R"("ac" "abcd" "xabc" "a\nc")", "pattern"},
                    Case{R"({"pattern":"b|d"})", R"("abc" "d")", R"("ac" "")", "pattern"},
                    Case{R"({"pattern":"^[\u00e0-\u00ff]+$"})", R"("\u00e9")", R"("e")", "pattern"},
                    Case{R"({"format":"date-time"})", R"("2026-11-30T08:00:00+01:00" 5 {"a":1})",
                         R"("2026-11-30" "2026-02-30T08:00:00Z" "")", "format"},
                    Case{R"({"format":"date"})", R"("2026-11-30" "2024-02-29")",
                         R"("2026-02-29" "2026-1-1" "2026-11-30T08:00:00Z" "2026-11-3x")",
                         "format"},
                    Case{R"({"format":"uuid"})", R"("4bf92f35-77b3-4da6-a3ce-929d0e0e4736")",
                         R"("4bf92f3577b34da6a3ce929d0e0e4736")", "format"},
                    Case{R"({"format":"uri"})", R"("not-checked")", "", ""}));

INSTANTIATE_TEST_SUITE_P(
    Arrays, Keyword,
    testing::Values(Case{R"({"minItems":1})", R"([1] "" {})", "[]", "minItems"},
                    Case{R"({"maxItems":1})", "[] [1]", "[1,2]", "maxItems"},
                    Case{R"({"uniqueItems":true})", R"([] [1,2,"1",[1],{"a":1}])",
                         R"([1,1.0] [[1],[1]] [{"a":1,"b":2},{"b":2,"a":1}])", "uniqueItems"},
                    Case{R"({"uniqueItems":false})", "[1,1]", "", ""},
                    Case{R"({"contains":{"minimum":5}})", R"([1,5] "a")", "[] [1]", "contains"}));

INSTANTIATE_TEST_SUITE_P(
    Objects, Keyword,
    testing::Values(
        Case{R"({"required":["a","b"]})", R"({"a":1,"b":2} [])", R"({"a":1})", "required"},
        Case{R"({"minProperties":1})", R"({"a":1})", "{}", "minProperties"},
        Case{R"({"maxProperties":1})", R"({"a":1} {})", R"({"a":1,"b":2})", "maxProperties"},
        Case{R"({"propertyNames":{"maxLength":2}})", R"({"ab":1} {})", R"({"abc":1})",
             "propertyNames"},
        Case{R"({"dependencies":{"a":["b"]}})", R"({"a":1,"b":2} {"b":1} {})", R"({"a":1})",
             "dependencies"},
        Case{R"({"dependencies":{"a":{"required":["c"]}}})", R"({"a":1,"c":2} {})", R"({"a":1})",
             "required"}));

struct Placed {
  std::string schema;
  std::string payload;
  std::vector<std::pair<std::string, std::string>> expected;  ///< Pointer and rule.
};

TEST(PayloadSchema, NamesThePlaceOfEachViolation) {
  const Placed cases[] = {
      {R"({"properties":{"a":{"items":{"type":"integer"}}}})",
       R"({"a":[1,"x",2,"y"]})",
       {{"/payload/a/1", "schema.type"}, {"/payload/a/3", "schema.type"}}},
      {R"({"properties":{"a":{"items":[{"type":"integer"}],"additionalItems":false}}})",
       R"({"a":["x",2]})",
       {{"/payload/a/0", "schema.type"}, {"/payload/a/1", "schema.false"}}},
      {R"({"properties":{"a":{}},"additionalProperties":false})",
       R"({"a":1,"b/c~":2})",
       {{"/payload/b~1c~0", "schema.false"}}},
      {R"({"patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":{"type":"string"}})",
       R"({"n_1":"x","t":1,"u":"ok","n_2":3})",
       {{"/payload/n_1", "schema.type"}, {"/payload/t", "schema.type"}}},
      {R"({"required":["a","b"],"properties":{"c":{"minLength":3,"pattern":"^x"}}})",
       R"({"c":"y"})",
       {{"/payload", "schema.required"},
        {"/payload", "schema.required"},
        {"/payload/c", "schema.minLength"},
        {"/payload/c", "schema.pattern"}}},
      {R"({"properties":{"a":{"allOf":[{"required":["x"]},{"properties":{"y":{"type":"string"}}}]}}})",
       R"({"a":{"y":1}})",
       {{"/payload/a", "schema.required"}, {"/payload/a/y", "schema.type"}}},
      {R"({"type":"array"})", "{}", {{"/payload", "schema.type"}}},
  };
  for (const auto& [schema, payload, expected] : cases) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& violation : check(schema, payload)) {
      found.emplace_back(violation.pointer, violation.rule);
    }
    EXPECT_EQ(found, expected) << schema;
  }
}

TEST(PayloadSchema, FollowsReferences) {
  const std::string tree = R"({"definitions":{"node":{"type":"object","required":["id"],
      "properties":{"id":{"type":"integer"},"next":{"$ref":"#/definitions/node"}}}},
      "$ref":"#/definitions/node"})";
  EXPECT_TRUE(check(tree, R"({"id":1,"next":{"id":2,"next":{"id":3}}})").empty());
  const auto violations = check(tree, R"({"id":1,"next":{"id":2,"next":{"id":"x"}}})");
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].pointer, "/payload/next/next/id");

  EXPECT_TRUE(check(R"({"properties":{"child":{"$ref":"#"}},"maxProperties":1})",
                    R"({"child":{"child":{}}})")
                  .empty());
  EXPECT_FALSE(check(R"({"properties":{"a/b":{"type":"string"},"c":{"$ref":"#/properties/a~1b"}}})",
                     R"({"c":1})")
                   .empty());
  EXPECT_FALSE(
      check(R"({"properties":{"a %":{"type":"string"},"c":{"$ref":"#/properties/a%20%25"}}})",
            R"({"c":1})")
          .empty());
}

TEST(PayloadSchema, MessagesShowTheSchemaAndNotThePayload) {
  const auto violations =
      check(R"({"required":["wanted"],"properties":{"s":{"maxLength":3,"enum":["ok"]}},
                "additionalProperties":false,"propertyNames":{"maxLength":4}})",
            R"({"s":"s3cret","s3cret":1})");
  ASSERT_EQ(violations.size(), 5U);
  for (const auto& violation : violations) {
    EXPECT_EQ(violation.message.find("s3cret"), std::string::npos) << violation.message;
  }
  EXPECT_NE(violations[0].message.find("wanted"), std::string::npos) << violations[0].message;
}

TEST(PayloadSchema, ListsABoundedNumberOfViolations) {
  std::string payload = R"({"a":[)";
  for (int i = 0; i < 500; ++i)
    payload += i == 0 ? "1" : ",1";
  payload += "]}";
  const auto violations = check(R"({"properties":{"a":{"items":{"type":"string"}}}})", payload);
  EXPECT_EQ(violations.size(), PayloadSchema::max_violations);
}

TEST(PayloadSchema, ExpensiveCheckEndsAsAViolation) {
  // Each level doubles the work: 2^15 for one member, times the members.
  std::string schema = R"({"definitions":{"d0":{"type":"integer"})";
  for (int i = 1; i <= 7; ++i) {
    const std::string below = R"({"$ref":"#/definitions/d)" + std::to_string(i - 1) + R"("})";
    schema += R"(,"d)" + std::to_string(i) + R"(":{"allOf":[)" + below;
    for (int repeat = 0; repeat < 7; ++repeat)
      schema += ',' + below;
    schema += "]}";
  }
  schema += R"(},"additionalProperties":{"$ref":"#/definitions/d7"}})";
  const auto violations = check(schema, R"({"a":1})");
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].rule, "schema.steps");
  EXPECT_EQ(violations[0].pointer, "/payload/a");
}

TEST(PayloadSchema, LongTextsAreSearchedWithoutRecursion) {
  const std::string text(56 * 1024, 'a');
  const std::string payload = R"({"v":")" + text + R"("})";
  EXPECT_TRUE(check(R"({"properties":{"v":{"pattern":"^(a|b)*$"}}})", payload).empty());
  EXPECT_EQ(check(R"({"properties":{"v":{"pattern":"(a*)*c"}}})", payload).size(), 1U);
}

TEST(PayloadSchema, DeepPayloadAndLongChainsTogether) {
  std::string schema =
      R"({"definitions":{"end":{"additionalProperties":{"$ref":"#/definitions/c0"}})";
  for (int i = 0; i < 7; ++i) {
    const std::string next = i == 6 ? "end" : "c" + std::to_string(i + 1);
    schema +=
        R"(,"c)" + std::to_string(i) + R"(":{"allOf":[{"$ref":"#/definitions/)" + next + R"("}]})";
  }
  schema += R"(},"$ref":"#/definitions/c0"})";
  std::string payload;
  for (int i = 1; i < 64; ++i)
    payload += R"({"a":)";
  payload += "{}" + std::string(63, '}');
  EXPECT_TRUE(check(schema, payload).empty());
}

struct Refused {
  std::string schema;
  std::string pointer;  ///< Below the schema's own.
};

TEST(CompileSchema, RefusesWhatItDoesNotUnderstand) {
  const Refused cases[] = {
      {"1", ""},
      {"[]", ""},
      {R"({"unknown":1})", "/unknown"},
      {R"({"minLenght":1})", "/minLenght"},
      {R"({"properties":{"a":{"prefixItems":[]}}})", "/properties/a/prefixItems"},
      {R"({"properties":[]})", "/properties"},
      {R"({"properties":{"a":1}})", "/properties/a"},
      {R"({"type":"text"})", "/type"},
      {R"({"type":[]})", "/type"},
      {R"({"type":["string","string"]})", "/type"},
      {R"({"enum":[]})", "/enum"},
      {R"({"enum":1})", "/enum"},
      {R"({"required":["a","a"]})", "/required"},
      {R"({"required":[1]})", "/required"},
      {R"({"required":"a"})", "/required"},
      {R"({"minLength":-1})", "/minLength"},
      {R"({"minLength":1.5})", "/minLength"},
      {R"({"maxItems":"1"})", "/maxItems"},
      {R"({"maxItems":1e300})", "/maxItems"},
      {R"({"minimum":"1"})", "/minimum"},
      {R"({"exclusiveMinimum":true})", "/exclusiveMinimum"},
      {R"({"multipleOf":0})", "/multipleOf"},
      {R"({"multipleOf":-0.0})", "/multipleOf"},
      {R"({"multipleOf":-1})", "/multipleOf"},
      {R"({"multipleOf":1234567890123456789})", "/multipleOf"},
      {R"({"uniqueItems":1})", "/uniqueItems"},
      {R"({"pattern":"("})", "/pattern"},
      {R"({"pattern":1})", "/pattern"},
      {R"({"pattern":"(a)\\1"})", "/pattern"},
      {R"({"patternProperties":{"(":{}}})", "/patternProperties/("},
      {R"({"patternProperties":[]})", "/patternProperties"},
      {R"({"format":"dates"})", "/format"},
      {R"({"format":1})", "/format"},
      {R"({"allOf":[]})", "/allOf"},
      {R"({"anyOf":{}})", "/anyOf"},
      {R"({"oneOf":[1]})", "/oneOf/0"},
      {R"({"not":[]})", "/not"},
      {R"({"items":1})", "/items"},
      {R"({"items":[1]})", "/items/0"},
      {R"({"dependencies":{"a":["b","b"]}})", "/dependencies/a"},
      {R"({"dependencies":{"a":1}})", "/dependencies/a"},
      {R"({"definitions":{"a":{"x":1}}})", "/definitions/a/x"},
      {R"({"$id":"http://example.com/a","properties":{"b":{"$id":"http://example.com/b"}}})",
       "/properties/b/$id"},
      {R"({"$ref":1})", "/$ref"},
      {R"({"$ref":"http://example.com/schema"})", "/$ref"},
      {R"({"$ref":"other.json#/a"})", "/$ref"},
      {R"({"$ref":"#/definitions/a"})", "/$ref"},
      {R"({"$ref":"#/definitions","definitions":{}})", "/$ref"},
      {R"({"$ref":"#a"})", "/$ref"},
      {R"({"$ref":"#/definitions/a","type":"string","definitions":{"a":{}}})", "/type"},
      {R"({"$ref":"#"})", ""},
      {R"({"allOf":[{"$ref":"#"}]})", "/allOf/0"},
      {R"({"not":{"$ref":"#"}})", "/not"},
      {R"({"if":{"$ref":"#"}})", "/if"},
      {R"({"dependencies":{"a":{"$ref":"#"}}})", "/dependencies/a"},
  };
  for (const auto& [schema, pointer] : cases) {
    const auto compiled = compile(schema);
    ASSERT_FALSE(compiled) << schema;
    EXPECT_EQ(compiled.error().pointer, "/types/0/schema" + pointer) << schema;
    EXPECT_FALSE(compiled.error().message.empty());
  }
}

TEST(CompileSchema, AcceptsAnnotations) {
  EXPECT_TRUE(compile(R"({"$schema":"http://json-schema.org/draft-07/schema#",
      "$id":"http://example.com/a","$comment":"c","title":"t","description":"d","default":1,
      "examples":[1],"readOnly":true,"writeOnly":false,"contentEncoding":"base64",
      "contentMediaType":"text/plain","definitions":{"a":true},"$defs":{"b":{}}})"));
}

/// `levels` schemas that apply to one value through each other.
std::string chain(int levels) {
  std::string schema = "{}";
  for (int i = 0; i < levels; ++i)
    schema = R"({"not":)" + schema + "}";
  return schema;
}

TEST(CompileSchema, BoundsChainsOverOneValue) {
  EXPECT_TRUE(compile(chain(16)));
  EXPECT_FALSE(compile(chain(17)));
}

}  // namespace
}  // namespace annals::core
