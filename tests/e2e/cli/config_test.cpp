#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_test_case.hpp"

namespace annals::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CliConfig : public CliTestCase {};

TEST_F(CliConfig, ShowsWhereEveryValueCameFrom) {
  write("annals.toml", "store = \"sqlite:file.db\"\n[server]\nthreads = 3\n");
  environment["ANNALS_SERVER_LISTEN"] = "127.0.0.1:1";
  const auto shown = out_of({"config", "--set", "chain.head_cache=7", "--store", "sqlite:flag.db"});
  EXPECT_THAT(shown, AllOf(HasSubstr("store = \"sqlite:flag.db\"  # --store"),
                           HasSubstr("threads = 3  # annals.toml:3"),
                           HasSubstr("listen = \"127.0.0.1:1\"  # ANNALS_SERVER_LISTEN"),
                           HasSubstr("head_cache = 7  # --set"),
                           HasSubstr("busy_timeout = \"5s\"  # default")));
  const auto json = json_of({"config", "--json"}).at(0);
  EXPECT_EQ(json["store"],
            (nlohmann::json{{"value", "sqlite:file.db"}, {"origin", "annals.toml:1"}}));
  EXPECT_EQ(json["server.threads"]["value"], 3);
}

TEST_F(CliConfig, TheDefaultFileRoundTrips) {
  write("default.toml", out_of({"config", "--default"}));
  const auto plain = json_of({"config", "--json"}).at(0);
  const auto through_file = json_of({"config", "--json", "--config", "default.toml"}).at(0);
  ASSERT_EQ(plain.size(), through_file.size());
  for (const auto& [key, entry] : plain.items()) {
    EXPECT_EQ(entry["value"], through_file[key]["value"]) << key;
    // The line of a secret is commented out: it would hide one from elsewhere.
    const bool secret = key == "metrics.token" || key == "client.api_key";
    const auto* origin = secret ? "default" : "default.toml:";
    EXPECT_THAT(through_file[key]["origin"].get<std::string>(), HasSubstr(origin)) << key;
  }
}

TEST_F(CliConfig, EveryCommandStopsAtABrokenFileWithItsLine) {
  write("annals.toml", "[server]\nlistn = \"x\"\n[append]\nqueue_timeout = 5\n");
  for (const auto& words :
       std::vector<Words>{{"read"}, {"append", "--type", "a.b"}, {"serve"}, {"config"}}) {
    const auto finished = annals(words);
    EXPECT_EQ(code_of(finished), 2) << words[0];
    EXPECT_THAT(
        finished.err,
        AllOf(HasSubstr("annals.toml:2: server.listn: unknown key; did you mean 'server.listen'?"),
              HasSubstr("annals.toml:4: append.queue_timeout: expected a duration with a unit")))
        << words[0];
  }
  EXPECT_FALSE(exists("annals.db"));
  EXPECT_EQ(code_of(annals({"config", "--default"})), 0) << "the way out must stay open";
  EXPECT_EQ(code_of(annals({"version"})), 0);
}

TEST_F(CliConfig, ProblemsAsJson) {
  write("annals.toml", "stor = 1\n");
  const auto finished = annals({"read", "--json"});
  EXPECT_EQ(code_of(finished), 2);
  const auto problem = nlohmann::json::parse(finished.err);
  EXPECT_EQ(problem["problems"].size(), 1U);
}

TEST_F(CliConfig, ANamedFileHasToExist) {
  const auto finished = annals({"read", "--config", "absent.toml"});
  EXPECT_EQ(code_of(finished), 2);
  EXPECT_THAT(finished.err, HasSubstr("absent.toml: the file cannot be read"));
}

TEST_F(CliConfig, ValuesReachTheLog) {
  write("annals.toml", "store = \"sqlite:other.db\"\nevents.nulls = \"strip\"\n");
  out_of({"append", "--type", "a.b", "--payload", R"({"x":null,"y":1})"});
  EXPECT_TRUE(exists("other.db"));
  EXPECT_FALSE(exists("annals.db"));
  EXPECT_EQ(out_of({"show", "1", "--form", "payload"}), R"({"y":1})");
  const auto refused = annals(
      {"append", "--type", "a.b", "--set", "events.nulls=refuse", "--payload", R"({"x":null})"});
  EXPECT_EQ(code_of(refused), 1);
}

TEST_F(CliConfig, MalformedSettingsAreWrongUsage) {
  EXPECT_EQ(code_of(annals({"read", "--set", "store"})), 2);
  EXPECT_EQ(code_of(annals({"read", "--set", "=x"})), 2);
  EXPECT_EQ(code_of(annals({"read", "--set", "server.threads=many"})), 2);
  EXPECT_EQ(code_of(annals({"read", "--store", "annals.db"})), 2);
  environment["ANNALS_SERVER_LISTN"] = "x";
  const auto variable = annals({"read"});
  EXPECT_EQ(code_of(variable), 2);
  EXPECT_THAT(variable.err, HasSubstr("ANNALS_SERVER_LISTN"));
}

}  // namespace
}  // namespace annals::test
