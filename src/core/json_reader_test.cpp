#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/json.hpp"

namespace annals::core::json {
namespace {

std::string rule_of(const Reader& reader) {
  return reader.problem() ? reader.problem()->rule + " at '" + reader.problem()->pointer + "'" : "";
}

TEST(JsonReader, PullsEveryKindOfValue) {
  Reader reader(R"( { "s" : "a\u00e9\n" , "n" : -1.50E+3 , "b" : true, "f":false, "z" : null,
                      "a" : [ 1 , "x" ], "\u006f" : { } } )");
  std::string name;
  std::string text;
  std::string_view number;
  bool flag = false;
  EXPECT_EQ(reader.peek(), Type::object);
  ASSERT_TRUE(reader.begin_object());
  ASSERT_TRUE(reader.next_member(name));
  EXPECT_EQ(name, "s");
  EXPECT_EQ(reader.peek(), Type::string);
  ASSERT_TRUE(reader.read_string(text));
  EXPECT_EQ(text, "a\xc3\xa9\n");
  ASSERT_TRUE(reader.next_member(name));
  EXPECT_EQ(reader.peek(), Type::number);
  ASSERT_TRUE(reader.read_number(number));
  EXPECT_EQ(number, "-1.50E+3");
  ASSERT_TRUE(reader.next_member(name));
  EXPECT_EQ(reader.peek(), Type::boolean);
  ASSERT_TRUE(reader.read_boolean(flag));
  EXPECT_TRUE(flag);
  ASSERT_TRUE(reader.next_member(name));
  ASSERT_TRUE(reader.read_boolean(flag));
  EXPECT_FALSE(flag);
  ASSERT_TRUE(reader.next_member(name));
  EXPECT_EQ(reader.peek(), Type::null);
  ASSERT_TRUE(reader.read_null());
  ASSERT_TRUE(reader.next_member(name));
  EXPECT_EQ(reader.peek(), Type::array);
  ASSERT_TRUE(reader.begin_array());
  ASSERT_TRUE(reader.next_element());
  ASSERT_TRUE(reader.read_number(number));
  ASSERT_TRUE(reader.next_element());
  EXPECT_EQ(reader.pointer(), "/a/1");
  ASSERT_TRUE(reader.read_string(text));
  EXPECT_FALSE(reader.next_element());
  EXPECT_EQ(reader.pointer(), "/a");
  ASSERT_TRUE(reader.next_member(name));
  EXPECT_EQ(name, "o");
  ASSERT_TRUE(reader.begin_object());
  EXPECT_FALSE(reader.next_member(name));
  EXPECT_FALSE(reader.next_member(name));
  EXPECT_TRUE(reader.finish());
  EXPECT_EQ(reader.pointer(), "");
  EXPECT_FALSE(reader.problem());
}

TEST(JsonReader, ScalarsAtTheTop) {
  std::string text;
  Reader string("\"x\"");
  EXPECT_TRUE(string.read_string(text) && string.finish());
  std::string_view number;
  Reader digits(" 0 ");
  EXPECT_TRUE(digits.read_number(number) && digits.finish());
  EXPECT_EQ(number, "0");
  Reader two("1 2");
  EXPECT_TRUE(two.read_number(number));
  EXPECT_FALSE(two.finish());
  EXPECT_EQ(rule_of(two), "trailing at ''");
}

TEST(JsonReader, UnescapesEveryEscape) {
  Reader reader(
      R"("\"\\\/\b\f\n\r\t\u0000\u007F\u0080\u07ff\u0800\uFFFF\uD800\uDC00\udbff\udfff")");
  std::string text;
  ASSERT_TRUE(reader.read_string(text));
  EXPECT_EQ(text, std::string("\"\\/\b\f\n\r\t\0\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"
                              "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
                              28));
}

TEST(JsonReader, UnreadValuesAreSkippedButChecked) {
  Reader reader(R"({"a":{"x":[1,{"y":null}]},"b":2})");
  std::string name;
  std::vector<std::string> names;
  ASSERT_TRUE(reader.begin_object());
  while (reader.next_member(name)) {
    names.push_back(name);
  }
  EXPECT_TRUE(reader.finish());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));

  Reader broken(R"({"a":{"x":01},"b":2})");
  ASSERT_TRUE(broken.begin_object());
  ASSERT_TRUE(broken.next_member(name));
  EXPECT_FALSE(broken.next_member(name));
  EXPECT_EQ(rule_of(broken), "syntax at '/a/x'");

  Reader untouched(R"({"a":1,"a":2})");
  EXPECT_FALSE(untouched.finish());
  EXPECT_EQ(rule_of(untouched), "duplicate_key at '/a'");
}

TEST(JsonReader, RawKeepsInnerWhitespace) {
  Reader reader("{\"p\" : { \"a\" : [ 1 ] } , \"q\":1}");
  std::string name;
  std::string_view raw;
  ASSERT_TRUE(reader.begin_object());
  ASSERT_TRUE(reader.next_member(name));
  ASSERT_TRUE(reader.read_raw(raw));
  EXPECT_EQ(raw, "{ \"a\" : [ 1 ] }");
  EXPECT_EQ(reader.pointer(), "/p");
  ASSERT_TRUE(reader.next_member(name));
  ASSERT_TRUE(reader.read_raw(raw));
  EXPECT_EQ(raw, "1");
  EXPECT_FALSE(reader.next_member(name));
  EXPECT_TRUE(reader.finish());
}

TEST(JsonReader, RawReportsTheInnermostPlace) {
  Reader reader(R"([{"payload":{"a":[0,{"b":"\ud800"}]}}])");
  std::string name;
  std::string_view raw;
  ASSERT_TRUE(reader.begin_array());
  ASSERT_TRUE(reader.next_element());
  ASSERT_TRUE(reader.begin_object());
  ASSERT_TRUE(reader.next_member(name));
  EXPECT_FALSE(reader.read_raw(raw));
  EXPECT_EQ(rule_of(reader), "surrogate at '/0/payload/a/1/b'");
}

std::string objects(std::size_t depth) {
  std::string text;
  for (std::size_t i = 1; i < depth; ++i) {
    text += R"({"a":)";
  }
  return text + "{}" + std::string(depth - 1, '}');
}

TEST(JsonReader, RawCountsItsOwnDepth) {
  // What is embedded in a request may be as deep as what stands alone.
  for (const std::size_t depth : {1, 64, 65}) {
    const std::string embedded = "[{\"payload\":" + objects(depth) + "}]";
    Reader reader(embedded);
    std::string name;
    std::string_view raw;
    ASSERT_TRUE(reader.begin_array() && reader.next_element() && reader.begin_object() &&
                reader.next_member(name));
    EXPECT_EQ(reader.read_raw(raw), depth <= 64) << depth;
    if (depth > 64) {
      EXPECT_EQ(reader.problem()->rule, "depth");
    } else {
      EXPECT_EQ(raw, objects(depth));
      EXPECT_FALSE(reader.next_member(name) || reader.next_element());
      EXPECT_TRUE(reader.finish());
    }
  }
}

TEST(JsonReader, StepByStepNestingIsLimitedToo) {
  const std::string text(65, '[');
  Reader reader(text);
  for (int i = 0; i < 64; ++i) {
    ASSERT_TRUE(reader.begin_array());
    ASSERT_TRUE(reader.next_element());
  }
  EXPECT_FALSE(reader.begin_array());
  EXPECT_EQ(reader.problem()->rule, "depth");
}

TEST(JsonReader, AnotherTypeIsAProblemOfTheMember) {
  const auto problem_of = [](auto read) {
    Reader reader(R"({"a":[{}]})");
    std::string name;
    EXPECT_TRUE(reader.begin_object() && reader.next_member(name));
    EXPECT_FALSE(read(reader));
    return rule_of(reader) + ": " + reader.problem()->message;
  };
  std::string text;
  std::string_view number;
  bool flag = false;
  EXPECT_EQ(problem_of([&](Reader& r) { return r.begin_object(); }),
            "type at '/a': must be an object");
  EXPECT_EQ(problem_of([&](Reader& r) { return r.read_string(text); }),
            "type at '/a': must be a string");
  EXPECT_EQ(problem_of([&](Reader& r) { return r.read_number(number); }),
            "type at '/a': must be a number");
  EXPECT_EQ(problem_of([&](Reader& r) { return r.read_boolean(flag); }),
            "type at '/a': must be true or false");
  EXPECT_EQ(problem_of([&](Reader& r) { return r.read_null(); }), "type at '/a': must be null");
  EXPECT_EQ(
      problem_of([&](Reader& r) { return r.begin_array() && r.next_element() && r.begin_array(); }),
      "type at '/a/0': must be an array");
}

TEST(JsonReader, AfterAProblemEveryCallFails) {
  Reader reader("[x]");
  std::string text;
  std::string_view piece;
  bool flag = false;
  ASSERT_TRUE(reader.begin_array());
  ASSERT_TRUE(reader.next_element());
  EXPECT_EQ(reader.peek(), std::nullopt);
  const auto first = reader.problem();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rule, "syntax");
  EXPECT_EQ(first->offset, 1U);
  EXPECT_FALSE(reader.begin_object());
  EXPECT_FALSE(reader.begin_array());
  EXPECT_FALSE(reader.next_member(text));
  EXPECT_FALSE(reader.next_element());
  EXPECT_FALSE(reader.read_string(text));
  EXPECT_FALSE(reader.read_number(piece));
  EXPECT_FALSE(reader.read_boolean(flag));
  EXPECT_FALSE(reader.read_null());
  EXPECT_FALSE(reader.read_raw(piece));
  EXPECT_FALSE(reader.finish());
  EXPECT_EQ(reader.problem(), first);
}

TEST(JsonReader, MisspelledLiterals) {
  bool flag = false;
  for (const char* text : {"t", "tru", "f", "falsy", "n", "nil"}) {
    Reader boolean(text);
    EXPECT_FALSE(boolean.read_boolean(flag)) << text;
    Reader null(text);
    EXPECT_FALSE(null.read_null()) << text;
  }
}

TEST(JsonReader, PointerSurvivesTheValue) {
  // A consumer names the member whose value it did not like.
  Reader reader(R"({"a":{"b":[5]}})");
  std::string name;
  std::string_view number;
  ASSERT_TRUE(reader.begin_object() && reader.next_member(name) && reader.begin_object() &&
              reader.next_member(name) && reader.begin_array());
  EXPECT_EQ(reader.pointer(), "/a/b");
  ASSERT_TRUE(reader.next_element() && reader.read_number(number));
  EXPECT_EQ(reader.pointer(), "/a/b/0");
}

}  // namespace
}  // namespace annals::core::json
