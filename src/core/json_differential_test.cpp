// The reader against simdjson, which was written by others: both accept or both refuse, and what
// they keep is the same. Where the rules differ on purpose, the case is told apart by our rule.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <array>
#include <string>

#include "core/json.hpp"
#include "testing/json_gen.hpp"
#include "testing/random.hpp"
#include "testing/seed.hpp"

namespace annals::core::json {
namespace {

/// What simdjson says of an object text.
struct Oracle {
  bool accepted = false;
  bool number_only = false;  ///< Refused, but perhaps only for a number that it cannot represent.
  std::string minified;
};

Oracle ask(simdjson::dom::parser& parser, const std::string& text) {
  Oracle oracle;
  const simdjson::padded_string padded(text);
  simdjson::dom::element root;
  const auto error = parser.parse(padded).get(root);
  oracle.accepted = error == simdjson::SUCCESS && root.is_object();
  oracle.number_only = error == simdjson::NUMBER_ERROR;
  oracle.minified.resize(text.size());
  std::size_t size = 0;
  if (simdjson::minify(text.data(), text.size(), oracle.minified.data(), size) !=
      simdjson::SUCCESS) {
    size = 0;
  }
  oracle.minified.resize(size);
  return oracle;
}

/// Our rules that simdjson does not have.
bool is_our_own(const Problem& problem) {
  return problem.rule == "duplicate_key" || problem.rule == "depth" || problem.rule == "null";
}

class Differential {
 public:
  void check(const std::string& text) {
    const auto ours = compact_payload(text, NullPolicy::refuse);
    const Oracle theirs = ask(parser_, text);
    if (ours) {
      ++accepted_;
      // A number of any size is kept as it is; simdjson must make a value of it.
      ASSERT_TRUE(theirs.accepted || theirs.number_only) << text;
      ASSERT_EQ(*ours, theirs.minified) << text;
      ASSERT_EQ(compact_payload(*ours, NullPolicy::refuse), *ours) << text;
      ASSERT_EQ(compact_payload(text, NullPolicy::strip), *ours) << text;
    } else {
      ++refused_;
      ASSERT_TRUE(!theirs.accepted || is_our_own(ours.error()))
          << text << "\n"
          << ours.error().rule << " " << ours.error().message;
    }
  }

  [[nodiscard]] int accepted() const { return accepted_; }
  [[nodiscard]] int refused() const { return refused_; }

 private:
  simdjson::dom::parser parser_;
  int accepted_ = 0;
  int refused_ = 0;
};

/// One to three changes that keep a text near to JSON: a byte replaced, removed, doubled, or a
/// piece of grammar put in.
std::string mutated(test::Random& random, std::string text) {
  static constexpr std::array<std::string_view, 34> pieces = {
      "{",  "}",    "[",   "]",  ",",     ":",       "\"",     "\\",   " ",
      "0",  "-",    "+",   ".",  "e",     "1E400",   "01",     "null", "true",
      "fa", "\\u",  "\\n", "\"", "\x01",  "\x7f",    "\xff",   "\x80", "\xc3\xa9",
      "\t", "\\\\", "/",   "{}", "[[[[[", "\\ud800", "\\udc00"};
  const auto edits = random.between(1, 3);
  for (std::uint64_t i = 0; i < edits && !text.empty(); ++i) {
    const auto at = static_cast<std::size_t>(random.below(text.size()));
    switch (random.below(5)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, random.between(1, 3));
        break;
      case 2:
        text.insert(at, text.substr(at, random.between(1, 8)));
        break;
      case 3:
        text.resize(at);
        break;
      default:
        text.insert(at, random.pick(pieces));
        break;
    }
  }
  return text;
}

TEST(JsonDifferential, GeneratedPayloadsAreAcceptedAndKept) {
  test::Random random(test::seed());
  Differential differential;
  for (int i = 0; i < 3000; ++i) {
    const auto payload = test::random_payload(random, random.between(2, 600));
    ASSERT_NO_FATAL_FAILURE(differential.check(payload.sent));
    ASSERT_EQ(compact_payload(payload.sent, NullPolicy::refuse), payload.compact);
  }
  EXPECT_EQ(differential.accepted(), 3000);
}

TEST(JsonDifferential, MutatedPayloadsAreJudgedAlike) {
  test::Random random(test::seed());
  Differential differential;
  for (int i = 0; i < 20'000; ++i) {
    const auto payload = test::random_payload(random, random.between(2, 300));
    ASSERT_NO_FATAL_FAILURE(differential.check(mutated(random, payload.sent)));
  }
  // Both outcomes must be common, or the comparison means little.
  EXPECT_GT(differential.accepted(), 500);
  EXPECT_GT(differential.refused(), 10'000);
}

TEST(JsonDifferential, ShortTextsOverTheGrammarsAlphabet) {
  constexpr std::string_view alphabet = "{}[]:,\"\\a0-1.eE+tfn u\xc3\xa9";
  test::Random random(test::seed());
  Differential differential;
  for (int i = 0; i < 50'000; ++i) {
    std::string text = R"({"a":)";
    for (auto left = random.below(8); left > 0; --left) {
      text += random.pick(alphabet);
    }
    text += '}';
    ASSERT_NO_FATAL_FAILURE(differential.check(text));
  }
  EXPECT_GT(differential.accepted(), 500);
}

TEST(JsonDifferential, ReaderAndCompactorAgree) {
  test::Random random(test::seed());
  for (int i = 0; i < 5000; ++i) {
    const auto payload = test::random_payload(random, random.between(2, 300));
    const std::string text = mutated(random, payload.sent);
    const auto compact = compact_payload(text, NullPolicy::refuse);
    Reader reader(text);
    std::string_view raw;
    const bool accepted = reader.read_raw(raw) && reader.finish();
    if (accepted) {
      const bool own_rule =
          !compact && (compact.error().rule == "null" || compact.error().rule == "type");
      ASSERT_TRUE(compact.has_value() || own_rule) << text;
    } else {
      ASSERT_FALSE(compact.has_value()) << text;
      if (compact.error().rule == "null" || compact.error().rule == "type") continue;
      ASSERT_EQ(compact.error().rule, reader.problem()->rule) << text;
      ASSERT_EQ(compact.error().pointer, reader.problem()->pointer) << text;
      ASSERT_EQ(compact.error().offset, reader.problem()->offset) << text;
    }
  }
}

/// Writes a value with and without its null members.
class NullWriter {
 public:
  explicit NullWriter(test::Random& random) : random_(random) {}

  void object(int level) {
    token("{");
    bool first_with = true;
    bool first_without = true;
    for (auto i = random_.below(5); i > 0; --i) {
      space();
      if (!first_with) with_nulls += ',';
      first_with = false;
      space();
      const std::string key = "\"k" + std::to_string(i) + "\":";
      with_nulls += key;
      space();
      if (random_.chance(40)) {
        with_nulls += "null";
        continue;
      }
      if (!first_without) without_nulls += ',';
      first_without = false;
      without_nulls += key;
      value(level + 1);
    }
    space();
    token("}");
  }

  std::string with_nulls;
  std::string without_nulls;

 private:
  void value(int level) {
    if (level < 5 && random_.chance(40)) {
      object(level);
    } else if (level < 5 && random_.chance(20)) {
      token("[");
      object(level + 1);
      token("]");
    } else {
      token("12");
    }
  }

  void token(std::string_view text) {
    with_nulls += text;
    without_nulls += text;
  }

  void space() {
    if (random_.chance(20)) with_nulls += random_.pick({" ", "\n\t"});
  }

  test::Random& random_;
};

TEST(JsonDifferential, StripEqualsNeverHavingWrittenTheNulls) {
  test::Random random(test::seed());
  for (int i = 0; i < 5000; ++i) {
    NullWriter writer(random);
    writer.object(1);
    ASSERT_EQ(compact_payload(writer.with_nulls, NullPolicy::strip), writer.without_nulls)
        << writer.with_nulls;
  }
}

}  // namespace
}  // namespace annals::core::json
