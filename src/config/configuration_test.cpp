#include "config/configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "testing/temp_dir.hpp"

namespace annals::config {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ConfigLoad : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto file = folder_.path() / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  /// Loads the text as the file given with --config.
  std::expected<Configuration, std::vector<Problem>> load_text(const std::string& text) const {
    return load({.file = write("annals.toml", text)});
  }

  std::vector<std::string> problems_of(const std::string& text) const {
    const auto loaded = load_text(text);
    if (loaded) return {};
    std::vector<std::string> out;
    for (const auto& problem : loaded.error()) {
      auto line = to_string(problem);
      const auto folder = folder_.path().string() + "/";
      if (line.starts_with(folder)) line.erase(0, folder.size());
      out.push_back(line);
    }
    return out;
  }

  test::TempDir folder_;
};

const Entry& entry_of(const Configuration& configuration, std::string_view name) {
  const auto found = std::ranges::find_if(
      configuration.entries, [name](const Entry& entry) { return entry.key->name == name; });
  EXPECT_NE(found, configuration.entries.end()) << name;
  return *found;
}

TEST_F(ConfigLoad, DefaultsWithoutAnySource) {
  const auto loaded = load({.default_file = folder_.path() / "annals.toml"});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->settings.store, "sqlite:annals.db");
  EXPECT_EQ(loaded->settings.server.listen, "127.0.0.1:7420");
  EXPECT_THAT(loaded->entries, SizeIs(schema().size()));
  for (const auto& entry : loaded->entries)
    EXPECT_EQ(entry.origin.text, "default");
}

TEST_F(ConfigLoad, LaterSourcesWinAndEveryValueKnowsItsOrigin) {
  const auto file = write("annals.toml",
                          "store = \"sqlite:file.db\"\n"
                          "\n"
                          "[append]\n"
                          "queue_timeout = \"7s\"\n"
                          "request_max_events = 500\n"
                          "[server]\n"
                          "listen = \"127.0.0.1:1\"\n");
  const auto loaded = load(
      {.default_file = file,
       .environment = {{"ANNALS_SERVER_LISTEN", "127.0.0.1:2"},
                       {"ANNALS_APPEND_QUEUE_TIMEOUT", "8s"},
                       {"HOME", "/"}},
       .flags = {{"append.queue_timeout", "9s", "--set"}, {"store", "sqlite:flag.db", "--store"}}});
  ASSERT_TRUE(loaded) << to_string(loaded.error().front());
  EXPECT_EQ(loaded->settings.store, "sqlite:flag.db");
  EXPECT_EQ(loaded->settings.server.listen, "127.0.0.1:2");
  EXPECT_EQ(loaded->settings.open.log.append.queue_timeout, milliseconds(9000));
  EXPECT_EQ(loaded->settings.open.log.append.request_max_events, 500U);
  EXPECT_EQ(entry_of(*loaded, "store").origin, (Origin{Origin::Kind::flag, "--store"}));
  EXPECT_EQ(entry_of(*loaded, "server.listen").origin,
            (Origin{Origin::Kind::environment, "ANNALS_SERVER_LISTEN"}));
  EXPECT_EQ(entry_of(*loaded, "append.request_max_events").origin,
            (Origin{Origin::Kind::file, file.string() + ":5"}));
  EXPECT_EQ(entry_of(*loaded, "chain.head_cache").origin, (Origin{}));
}

TEST_F(ConfigLoad, TheLastOfRepeatedFlagsWins) {
  const auto loaded =
      load({.default_file = folder_.path() / "none",
            .flags = {{"store", "sqlite:a", "--store"}, {"store", "sqlite:b", "--set"}}});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->settings.store, "sqlite:b");
}

TEST_F(ConfigLoad, DottedKeysAndTablesAreTheSame) {
  const auto loaded =
      load_text("server.listen = \"127.0.0.1:9\"\n[events]\nnulls = \"strip\"\n[hub]\n");
  ASSERT_TRUE(loaded) << to_string(loaded.error().front());
  EXPECT_EQ(loaded->settings.server.listen, "127.0.0.1:9");
  EXPECT_EQ(loaded->settings.open.log.events.nulls, NullPolicy::strip);
}

TEST_F(ConfigLoad, AnUnknownKeyIsNamedWithItsLineAndTheNearestOne) {
  EXPECT_THAT(
      problems_of("[server]\nlisten = \"127.0.0.1:1\"\nlistn = \"x\"\n"),
      ElementsAre("annals.toml:3: server.listn: unknown key; did you mean 'server.listen'?"));
  EXPECT_THAT(problems_of("\n[nonsense]\n"), ElementsAre(HasSubstr("annals.toml:2: nonsense")));
  EXPECT_THAT(problems_of("[server.listen]\nx = 1\n"),
              ElementsAre(HasSubstr("annals.toml:2: server.listen.x: unknown key")));
  EXPECT_THAT(problems_of("server = 5\n"), ElementsAre(HasSubstr("annals.toml:1: server")));
}

TEST_F(ConfigLoad, AllProblemsAreReportedInOrder) {
  EXPECT_THAT(
      problems_of("[append]\n"
                  "queue_timeout = 5\n"
                  "queue_max_bytes = \"16MB\"\n"
                  "request_max_events = \"10\"\n"
                  "[events]\n"
                  "nulls = \"keep\"\n"
                  "payload_max_bytes = 1.5\n"),
      ElementsAre(
          AllOf(HasSubstr("annals.toml:2: append.queue_timeout: expected a duration with a unit")),
          AllOf(HasSubstr("annals.toml:3: append.queue_max_bytes: expected a size with a unit")),
          AllOf(
              HasSubstr("annals.toml:4: append.request_max_events: expected a whole number from 1 "
                        "to 1000000")),
          AllOf(HasSubstr(R"(annals.toml:6: events.nulls: expected one of "refuse", "strip")")),
          AllOf(HasSubstr("annals.toml:7: events.payload_max_bytes: expected a size"))));
}

TEST_F(ConfigLoad, ASyntaxErrorHasItsLine) {
  EXPECT_THAT(problems_of("store = \"sqlite:a\"\nlisten = = 1\n"),
              ElementsAre(HasSubstr("annals.toml:2: ")));
  EXPECT_THAT(problems_of("store = \"sqlite:a\"\nstore = \"sqlite:b\"\n"),
              ElementsAre(HasSubstr("annals.toml:2: ")));
}

TEST_F(ConfigLoad, ANamedFileHasToBeThere) {
  const auto loaded = load({.file = folder_.path() / "absent.toml"});
  ASSERT_FALSE(loaded);
  EXPECT_THAT(to_string(loaded.error().front()), HasSubstr("absent.toml: the file cannot be read"));
  const auto folder = load({.file = folder_.path()});
  ASSERT_FALSE(folder);
  EXPECT_THAT(to_string(folder.error().front()), HasSubstr("this is a folder"));
}

TEST_F(ConfigLoad, VariablesOfASectionAreHeldToTheSchema) {
  const auto loaded = load({.default_file = folder_.path() / "none",
                            .environment = {{"ANNALS_SERVER_LISTN", "x"},
                                            {"ANNALS_APPEND_QUEUE_TIMEOUT", "5"},
                                            {"ANNALS_TEST_SEED", "1"},
                                            {"ANNALS_SERVERS", "2"}}});
  ASSERT_FALSE(loaded);
  ASSERT_THAT(loaded.error(), SizeIs(2));
  EXPECT_THAT(to_string(loaded.error()[0]), HasSubstr("ANNALS_SERVER_LISTN: no key has this"));
  EXPECT_THAT(to_string(loaded.error()[1]),
              HasSubstr("ANNALS_APPEND_QUEUE_TIMEOUT: append.queue_timeout: expected a duration"));
}

TEST_F(ConfigLoad, UnknownAndMalformedFlags) {
  const auto loaded =
      load({.default_file = folder_.path() / "none",
            .flags = {{"server.lisen", "x", "--set"}, {"server.threads", "many", "--set"}}});
  ASSERT_FALSE(loaded);
  ASSERT_THAT(loaded.error(), SizeIs(2));
  EXPECT_EQ(to_string(loaded.error()[0]),
            "--set: server.lisen: unknown key; did you mean 'server.listen'?");
  EXPECT_THAT(to_string(loaded.error()[1]), HasSubstr("--set: server.threads: expected a whole"));
}

TEST_F(ConfigLoad, RulesAboutSeveralKeysNameTheCulpritAndItsPlace) {
  EXPECT_THAT(problems_of("\nappend.request_max_bytes = \"10KiB\"\n"),
              ElementsAre("annals.toml:2: append.request_max_bytes: expected at least "
                          "events.payload_max_bytes plus events.envelope_max_bytes"));
  EXPECT_THAT(problems_of("append.queue_max_bytes = \"1MiB\"\n"),
              ElementsAre(HasSubstr("expected at least append.request_max_bytes")));
  EXPECT_THAT(problems_of("subscriber.max_pending_bytes = \"64KiB\"\n"
                          "events.payload_max_bytes = \"57KiB\"\n"),
              ElementsAre(HasSubstr("annals.toml:1: subscriber.max_pending_bytes")));
  EXPECT_THAT(problems_of("jwt.algorithm = \"EdDSA\"\n"),
              ElementsAre(HasSubstr("jwt.key_file: expected given together with jwt.algorithm")));
  EXPECT_THAT(problems_of("jwt.key_file = \"issuer.pem\"\n"),
              ElementsAre(HasSubstr("jwt.key_file: expected given together with jwt.algorithm")));
}

TEST_F(ConfigLoad, TokensAreSignedInOneOfTwoWaysAndTheirGrantsHaveAClaimOfTheirOwn) {
  for (const char* text :
       {"jwt.algorithm = \"none\"\n", "jwt.algorithm = \"RS256\"\n", "jwt.claim = \"sub\"\n",
        "jwt.claim = \"\"\n", "jwt.leeway = \"1h\"\n"}) {
    EXPECT_THAT(problems_of(text), ElementsAre(HasSubstr("annals.toml:1: jwt."))) << text;
  }
}

/// A key with a secret, kept in a member that is easy to look at.
std::vector<Key> keys_with_secret() {
  Key key;
  key.name = "door.password";
  key.doc = "A secret.";
  key.secret = true;
  key.get = [](const Settings& settings) { return Value(settings.store); };
  key.set = [](Settings& settings, const Value& value) {
    settings.store = std::get<std::string>(value);
  };
  return {key};
}

TEST_F(ConfigLoad, ASecretMayComeFromAFile) {
  const auto secret = write("password", "open sesame\n");
  const auto keys = keys_with_secret();

  const auto by_file =
      load({.file = write("a.toml", "door.password_file = \"" + secret.string() + "\"\n")}, keys);
  ASSERT_TRUE(by_file) << to_string(by_file.error().front());
  EXPECT_EQ(by_file->settings.store, "open sesame");
  EXPECT_THAT(by_file->entries.front().origin.text,
              AllOf(HasSubstr("a.toml:1"), HasSubstr("password")));

  const auto by_variable = load({.default_file = folder_.path() / "none",
                                 .environment = {{"ANNALS_DOOR_PASSWORD_FILE", secret.string()}}},
                                keys);
  ASSERT_TRUE(by_variable);
  EXPECT_EQ(by_variable->settings.store, "open sesame");

  const auto over = load({.file = write("b.toml", "door.password = \"in the file\"\n"),
                          .environment = {{"ANNALS_DOOR_PASSWORD_FILE", secret.string()}}},
                         keys);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->settings.store, "open sesame");
}

TEST_F(ConfigLoad, ASecretIsGivenOnceAndNeverRepeatedInAProblem) {
  const auto keys = keys_with_secret();
  const auto secret = write("password", "open sesame");
  const auto both =
      load({.file = write("a.toml", "door.password = \"hush\"\ndoor.password_file = \"" +
                                        secret.string() + "\"\n")},
           keys);
  ASSERT_FALSE(both);
  EXPECT_THAT(to_string(both.error().front()), AllOf(HasSubstr("a.toml:2"), HasSubstr("not both")));

  const auto absent =
      load({.file = write("b.toml", "door.password_file = \"/no/such/file\"\n")}, keys);
  ASSERT_FALSE(absent);
  EXPECT_THAT(to_string(absent.error().front()),
              HasSubstr("b.toml:1: door.password_file: expected a readable file"));

  const auto wrong = load({.file = write("c.toml", "door.password = 12345\n")}, keys);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(to_string(wrong.error().front()), ::testing::Not(HasSubstr("12345")));
}

TEST_F(ConfigLoad, OnlySecretsHaveAFileVariant) {
  EXPECT_THAT(problems_of("store_file = \"x\"\n"),
              ElementsAre(HasSubstr("store_file: unknown key")));
}

TEST_F(ConfigLoad, ProcessEnvironmentSplitsAtTheFirstEquals) {
  ::setenv("ANNALS_STORE", "sqlite:a=b.db", 1);
  const auto variables = process_environment();
  ::unsetenv("ANNALS_STORE");
  EXPECT_THAT(variables, ::testing::Contains(::testing::Pair("ANNALS_STORE", "sqlite:a=b.db")));
}

}  // namespace
}  // namespace annals::config
