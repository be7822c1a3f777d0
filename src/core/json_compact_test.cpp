#include <gtest/gtest.h>

#include <string>

#include "core/json.hpp"

namespace annals::core::json {
namespace {

std::string compact(std::string_view text, NullPolicy nulls = NullPolicy::refuse) {
  const auto result = compact_payload(text, nulls);
  if (result) return *result;
  return result.error().rule + " at '" + result.error().pointer + "' byte " +
         std::to_string(result.error().offset);
}

std::string stripped(std::string_view text) {
  return compact(text, NullPolicy::strip);
}

std::string nested(std::size_t depth, std::string_view open, std::string_view inner,
                   std::string_view close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) {
    text += open;
  }
  text += inner;
  for (std::size_t i = 0; i < depth; ++i) {
    text += close;
  }
  return text;
}

TEST(CompactPayload, RemovesOnlyInsignificantWhitespace) {
  EXPECT_EQ(compact("{}"), "{}");
  EXPECT_EQ(compact(" \t\r\n{ \n} \t"), "{}");
  EXPECT_EQ(compact(R"( { "b" : [ 1 , -2.50 , { } , [ ] ] , "a" : " x  y " } )"),
            R"({"b":[1,-2.50,{},[]],"a":" x  y "})");
  EXPECT_EQ(compact("{\"a\"\n:\ttrue\r,\"b\" :false}"), R"({"a":true,"b":false})");
}

TEST(CompactPayload, KeepsEveryTokenAsSent) {
  for (
      const char* text :
      {R"({"n":12345678901234567890123456789,"e":1E400,"z":-0.0,"x":1.0e-7,"y":0.1234567890123456789})",
       R"({"z":1,"a":2,"m":3})", R"({"s":"\u00e9\u00E9 \/ / \ud83d\ude00 \b\f\n\r\t\"\\"})",
       "{\"s\":\"\xc3\xa9 \x7f \xe6\x97\xa5 \xf0\x9f\x98\x80\"}", R"({"":"","\u0000":"\u0000"})",
       "{\"noncharacter\":\"\xef\xbf\xbf \xf4\x8f\xbf\xbf \\uffff\"}"}) {
    EXPECT_EQ(compact(text), text);
  }
}

TEST(CompactPayload, MustBeAnObject) {
  for (const char* text : {"[]", "1", "\"\"", "true", "null", "[{}]"}) {
    EXPECT_EQ(compact(text), "type at '' byte 0") << text;
    EXPECT_EQ(stripped(text), "type at '' byte 0") << text;
  }
  EXPECT_EQ(compact(" []"), "type at '' byte 1");
}

TEST(CompactPayload, RefusesBrokenSyntaxWithItsPlace) {
  EXPECT_EQ(compact(""), "syntax at '' byte 0");
  EXPECT_EQ(compact("  "), "syntax at '' byte 2");
  EXPECT_EQ(compact("\xef\xbb\xbf{}"), "syntax at '' byte 0");
  EXPECT_EQ(compact("{"), "syntax at '' byte 1");
  EXPECT_EQ(compact(R"({"a")"), "syntax at '/a' byte 4");
  EXPECT_EQ(compact(R"({"a" 1})"), "syntax at '/a' byte 5");
  EXPECT_EQ(compact(R"({"a":})"), "syntax at '/a' byte 5");
  EXPECT_EQ(compact(R"({"a":1)"), "syntax at '' byte 6");
  EXPECT_EQ(compact(R"({"a":1,})"), "syntax at '' byte 7");
  EXPECT_EQ(compact(R"({,"a":1})"), "syntax at '' byte 1");
  EXPECT_EQ(compact(R"({"a":1 "b":2})"), "syntax at '' byte 7");
  EXPECT_EQ(compact(R"({"a":[1,]})"), "syntax at '/a/1' byte 8");
  EXPECT_EQ(compact(R"({"a":[,1]})"), "syntax at '/a/0' byte 6");
  EXPECT_EQ(compact(R"({"a":[1 2]})"), "syntax at '/a' byte 8");
  EXPECT_EQ(compact(R"({"a":[1}})"), "syntax at '/a' byte 7");
  EXPECT_EQ(compact(R"({"a":1])"), "syntax at '' byte 6");
  EXPECT_EQ(compact(R"({a:1})"), "syntax at '' byte 1");
  EXPECT_EQ(compact(R"({'a':1})"), "syntax at '' byte 1");
  EXPECT_EQ(compact(R"({"a":1}/**/)"), "trailing at '' byte 7");
  EXPECT_EQ(compact(R"({"a":1}{})"), "trailing at '' byte 7");
  EXPECT_EQ(compact(std::string_view("{}\0", 3)), "trailing at '' byte 2");
}

TEST(CompactPayload, RefusesNumbersThatJsonDoesNotHave) {
  for (const char* number :
       {"01",   "-01",  "00",    "+1",  ".5",    "1.",  "-",        "1e",
        "1e+",  "1E-",  "-.5",   "0x1", "1_000", "NaN", "Infinity", "-Infinity",
        "-NaN", "1.e5", "1e5.5", "--1", "nan",   "inf"}) {
    const auto result =
        compact_payload(std::string("{\"a\":{\"b\":") + number + "}}", NullPolicy::refuse);
    ASSERT_FALSE(result.has_value()) << number;
    EXPECT_EQ(result.error().rule, "syntax") << number;
    EXPECT_TRUE(result.error().pointer.starts_with("/a")) << number;
  }
}

TEST(CompactPayload, RefusesLiteralsThatAreSpelledOtherwise) {
  for (const char* literal : {"True", "tru", "truE", "FALSE", "fals", "nul", "NULL", "undefined"}) {
    const auto result = compact_payload(std::string("{\"a\":") + literal + "}", NullPolicy::strip);
    ASSERT_FALSE(result.has_value()) << literal;
    EXPECT_EQ(result.error().rule, "syntax") << literal;
    EXPECT_EQ(result.error().pointer, "/a") << literal;
  }
  EXPECT_EQ(compact(R"({"a":truex})"), "syntax at '' byte 9");
  EXPECT_EQ(stripped(R"({"a":nullx})"), "syntax at '' byte 9");
}

TEST(CompactPayload, RefusesBrokenStrings) {
  EXPECT_EQ(compact(R"({"a":"x)"), "syntax at '/a' byte 7");
  EXPECT_EQ(compact(R"({"a":"x\)"), "syntax at '/a' byte 8");
  EXPECT_EQ(compact(R"({"a":"\x"})"), "syntax at '/a' byte 6");
  EXPECT_EQ(compact(R"({"a":"\u12"})"), "syntax at '/a' byte 6");
  EXPECT_EQ(compact(R"({"a":"\u12g4"})"), "syntax at '/a' byte 6");
  EXPECT_EQ(compact("{\"a\":\"tab\there\"}"), "syntax at '/a' byte 9");
  EXPECT_EQ(compact(std::string_view("{\"a\":\"\0\"}", 9)), "syntax at '/a' byte 6");
  EXPECT_EQ(compact("{\"a\":\"0123456789\x1f\"}"), "syntax at '/a' byte 16");
  EXPECT_EQ(compact("{\"a\nb\":1}"), "syntax at '' byte 3");
}

TEST(CompactPayload, RefusesLoneSurrogates) {
  EXPECT_EQ(compact(R"({"a":"\ud800"})"), "surrogate at '/a' byte 6");
  EXPECT_EQ(compact(R"({"a":"\udc00"})"), "surrogate at '/a' byte 6");
  EXPECT_EQ(compact(R"({"a":"\ude00\ud83d"})"), "surrogate at '/a' byte 6");
  EXPECT_EQ(compact(R"({"a":"\ud83d\ud83d\ude00"})"), "surrogate at '/a' byte 6");
  EXPECT_EQ(compact(R"({"a":"\ud83dx"})"), "surrogate at '/a' byte 6");
  EXPECT_EQ(compact(R"({"a":"\ud83d\n"})"), "surrogate at '/a' byte 6");
  EXPECT_EQ(compact(R"({"a":{"\uDBFF":1}})"), "surrogate at '/a' byte 7");
  EXPECT_EQ(compact(R"({"a":"\uD83D\uDE00"})"), R"({"a":"\uD83D\uDE00"})");
}

TEST(CompactPayload, RefusesInvalidUtf8) {
  for (const char* bytes : {"\x80",
                            "\xbf",
                            "\xc0\x80",
                            "\xc1\xbf",
                            "\xc2",
                            "\xc2\x41",
                            "\xe0\x80\x80",
                            "\xe0\x9f\xbf",
                            "\xe2\x82",
                            "\xe2\x82\x41",
                            "\xed\xa0\x80",
                            "\xed\xbf\xbf",
                            "\xf0\x80\x80\x80",
                            "\xf0\x8f\xbf\xbf",
                            "\xf4\x90\x80\x80",
                            "\xf5\x80\x80\x80",
                            "\xf0\x9f\x98",
                            "\xff",
                            "\xfe",
                            "\xf8\x88\x80\x80\x80"}) {
    for (const char* before : {"", "abc", "0123456789", "\xc3\xa9"}) {
      const std::string text = std::string("{\"k\":[0,\"") + before + bytes + "\"]}";
      const auto result = compact_payload(text, NullPolicy::refuse);
      ASSERT_FALSE(result.has_value()) << text;
      EXPECT_EQ(result.error().rule, "utf8") << text;
      EXPECT_EQ(result.error().pointer, "/k/1") << text;
      EXPECT_EQ(result.error().offset, 9 + std::string_view(before).size()) << text;
    }
  }
  EXPECT_EQ(compact("{\"\xff\":1}"), "utf8 at '' byte 2");
  EXPECT_EQ(compact("{\"a\":1}\xff"), "trailing at '' byte 7");
  EXPECT_EQ(compact("{\"a\":\xc3\xa9}"), "syntax at '/a' byte 5");
}

TEST(CompactPayload, AcceptsTheBordersOfUtf8) {
  for (const char* bytes : {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                            "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    const std::string text = std::string("{\"a\":\"") + bytes + "\"}";
    EXPECT_EQ(compact(text), text);
  }
}

TEST(CompactPayload, RefusesDuplicateKeysAfterUnescaping) {
  EXPECT_EQ(compact(R"({"a":1,"a":1})"), "duplicate_key at '/a' byte 7");
  EXPECT_EQ(compact(R"({"x":[{"a":1,"b":2,"a":3}]})"), "duplicate_key at '/x/0/a' byte 19");
  EXPECT_EQ(compact(R"({"a":1,"\u0061":1})"), "duplicate_key at '/a' byte 7");
  EXPECT_EQ(compact(R"({"\u0061":1,"a":1})"), "duplicate_key at '/a' byte 12");
  EXPECT_EQ(compact("{\"\\u00e9\":1,\"\xc3\xa9\":1}"), "duplicate_key at '/\xc3\xa9' byte 12");
  EXPECT_EQ(compact("{\"\\uD83D\\uDE00\":1,\"\xf0\x9f\x98\x80\":1}"),
            "duplicate_key at '/\xf0\x9f\x98\x80' byte 18");
  EXPECT_EQ(compact(R"({"a\/b":1,"a/b":1})"), "duplicate_key at '/a~1b' byte 10");
  EXPECT_EQ(compact(R"({"":1,"":1})"), "duplicate_key at '/' byte 6");
}

TEST(CompactPayload, EqualKeysInDifferentObjectsAreFine) {
  for (const char* text : {R"({"a":{"a":{"a":1}},"b":{"a":1}})", R"({"x":[{"a":1},{"a":1}]})",
                           R"({"a":1,"A":2,"a ":3})", R"({"a":{"b":1},"c":{"b":1},"b":1})",
                           R"({"\u0061b":{"\u0061b":1},"ab2":1})"}) {
    EXPECT_EQ(compact(text), text);
  }
}

/// An object of `count` members `k0`, `k1`, ... with one more at the end.
std::string large_object(std::size_t count, std::string_view last) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) {
    text += "\"k" + std::to_string(i) + "\":1,";
  }
  text += last;
  text += "}";
  return text;
}

TEST(CompactPayload, LargeObjectsAreCheckedToo) {
  for (const std::size_t count : {62, 63, 64, 65, 66, 100, 10'000}) {
    const std::string good = large_object(count, R"("last":1)");
    EXPECT_EQ(compact(good), good);
    const std::string head = large_object(count, "");
    const std::string place = "byte " + std::to_string(head.size() - 1);
    EXPECT_EQ(compact(large_object(count, R"("k0":1)")), "duplicate_key at '/k0' " + place);
    EXPECT_EQ(compact(large_object(count, R"("\u006b0":1)")), "duplicate_key at '/k0' " + place);
    const std::string newest = "k" + std::to_string(count - 1);
    EXPECT_EQ(compact(large_object(count, "\"" + newest + "\":1")),
              "duplicate_key at '/" + newest + "' " + place);
  }
}

TEST(CompactPayload, FirstOfSeveralLateDuplicatesIsReported) {
  const std::string text = large_object(200, R"("k150":1,"k3":1,"k150":1)");
  const std::size_t offset = text.find(R"("k150":1,"k3":1)");
  EXPECT_EQ(compact(text), "duplicate_key at '/k150' byte " + std::to_string(offset));
}

TEST(CompactPayload, DepthCountsTheObjectItself) {
  const std::string deepest = nested(63, R"({"a":)", "{}", "}");
  EXPECT_EQ(compact(deepest), deepest);
  const std::string arrays = R"({"a":)" + nested(63, "[", "", "]") + "}";
  EXPECT_EQ(compact(arrays), arrays);
  std::string pointer;
  for (int i = 0; i < 64; ++i) {
    pointer += "/a";
  }
  EXPECT_EQ(compact(nested(64, R"({"a":)", "{}", "}")), "depth at '" + pointer + "' byte 320");
  EXPECT_EQ(compact(R"({"a":)" + nested(64, "[", "", "]") + "}").substr(0, 8), "depth at");
  EXPECT_EQ(compact(nested(1'000'000, R"({"a":)", "1", "}")).substr(0, 8), "depth at");
  EXPECT_EQ(compact(R"({"a":)" + std::string(1'000'000, '[')).substr(0, 8), "depth at");
}

TEST(CompactPayload, NullsAreRefusedAtAnyDepth) {
  EXPECT_EQ(compact(R"({"a":null})"), "null at '/a' byte 5");
  EXPECT_EQ(compact(R"({"a":{"b":[{"c":null}]}})"), "null at '/a/b/0/c' byte 16");
  EXPECT_EQ(compact(R"({"a":[0,null]})"), "null at '/a/1' byte 8");
  EXPECT_EQ(compact(R"({"a":"null","null":1})"), R"({"a":"null","null":1})");
}

TEST(CompactPayload, StripRemovesNullMembersWithTheirComma) {
  EXPECT_EQ(stripped(R"({"a":null})"), "{}");
  EXPECT_EQ(stripped(R"({ "a" : null })"), "{}");
  EXPECT_EQ(stripped(R"({"a":null,"b":null})"), "{}");
  EXPECT_EQ(stripped(R"({"a":null,"b":1})"), R"({"b":1})");
  EXPECT_EQ(stripped(R"({"a":1,"b":null})"), R"({"a":1})");
  EXPECT_EQ(stripped(R"({"a":1,"b":null,"c":2})"), R"({"a":1,"c":2})");
  EXPECT_EQ(stripped(R"({"a":null,"b":null,"c":2,"d":null,"e":null,"f":3,"g":null})"),
            R"({"c":2,"f":3})");
  EXPECT_EQ(
      stripped("{ \"a\" : null , \"b\" : null ,\n \"c\" : 2 , \"d\" : null , \"e\" : [ 3 ] }"),
      R"({"c":2,"e":[3]})");
  EXPECT_EQ(stripped(R"({"x":{"a":null},"y":[{"b":null,"c":1}],"z":null})"),
            R"({"x":{},"y":[{"c":1}]})");
  EXPECT_EQ(stripped(R"({"a":{"b":{"c":null},"d":null},"e":null,"f":{"g":null,"h":0}})"),
            R"({"a":{"b":{}},"f":{"h":0}})");
}

TEST(CompactPayload, StripChecksWhatItRemoves) {
  EXPECT_EQ(stripped(R"({"a":[null]})"), "null at '/a/0' byte 6");
  EXPECT_EQ(stripped(R"({"a":null,"a":1})"), "duplicate_key at '/a' byte 10");
  EXPECT_EQ(stripped(R"({"a":null,"b":1,"a":null})"), "duplicate_key at '/a' byte 16");
  EXPECT_EQ(stripped(R"({"a":null,})"), "syntax at '' byte 10");
  EXPECT_EQ(stripped(R"({"a":null "b":1})"), "syntax at '' byte 10");
  EXPECT_EQ(stripped(R"({"a":null)"), "syntax at '' byte 9");
  EXPECT_EQ(stripped(R"({"a":null,,"b":1})"), "syntax at '' byte 10");
}

TEST(CompactPayload, PointersAreEscaped) {
  EXPECT_EQ(compact(R"({"a/b":{"c~d":[{"e\u002ff":null}]}})"),
            "null at '/a~1b/c~0d/0/e~1f' byte 27");
}

TEST(CompactPayload, MessagesNeverCarryTheText) {
  for (const char* text : {R"({"k":"secret\q"})", R"({"k":secret})", R"({"k":secretnull})"}) {
    const auto result = compact_payload(text, NullPolicy::refuse);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().message.find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace annals::core::json
