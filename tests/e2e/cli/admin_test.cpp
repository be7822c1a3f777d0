#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_test_case.hpp"

namespace annals::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CliAdmin : public CliTestCase {};

TEST_F(CliAdmin, AKeyIsCreatedListedAndRevoked) {
  const auto created =
      annals({"key", "create", "mobile-alex", "--append", "query.*", "--read", "own", "--read",
              "channel=c1:read,notify", "--principal", "user/42", "--expires", "90d", "--from",
              "2001:db8::/32", "--from", "10.0.0.1"});
  ASSERT_EQ(code_of(created), 0) << created.err;
  const auto secret = lines_of(created.out);
  ASSERT_EQ(secret.size(), 1U);
  EXPECT_GT(secret[0].size(), 30U);
  EXPECT_THAT(created.err, AllOf(HasSubstr("mobile-alex"), HasSubstr("shown once")));

  const auto keys = json_of({"key", "list"});
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0]["name"], "mobile-alex");
  EXPECT_EQ(keys[0]["append"], nlohmann::json({"query.*"}));
  EXPECT_EQ(keys[0]["read"], nlohmann::json({"own", "channel=c1:notify,read"}));
  EXPECT_EQ(keys[0]["principal"], "user/42");
  EXPECT_EQ(keys[0]["from"], nlohmann::json({"10.0.0.1/32", "2001:db8::/32"}));
  EXPECT_TRUE(keys[0].contains("expires_at"));
  EXPECT_FALSE(keys[0].contains("secret"));

  const auto changed =
      json_of({"key", "change", "mobile-alex", "--read", "all", "--append", "none", "--expires",
               "never", "--from", "anywhere", "--no-principal", "--json"});
  EXPECT_EQ(changed[0]["key_id"], keys[0]["key_id"]);
  EXPECT_EQ(changed[0]["read"], nlohmann::json({"all"}));
  EXPECT_EQ(changed[0]["append"], nlohmann::json::array());
  for (const char* member : {"expires_at", "from", "principal", "secret"})
    EXPECT_FALSE(changed[0].contains(member)) << member;
  EXPECT_EQ(json_of({"key", "list"}), changed);

  out_of({"key", "revoke", "mobile-alex"});
  EXPECT_TRUE(json_of({"key", "list"})[0].contains("revoked_at"));
  const auto again = annals({"key", "revoke", "mobile-alex"});
  EXPECT_EQ(code_of(again), 1);
  EXPECT_THAT(again.err, HasSubstr("not_found"));

  const auto events = json_of({"read", "--stream", "$access"});
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0]["type"], "access.key_created");
  EXPECT_EQ(events[0]["payload"]["read"], keys[0]["read"]);
  EXPECT_FALSE(events[0]["payload"].contains("principal"));
  EXPECT_FALSE(events[0]["payload"].contains("from"));
  EXPECT_EQ(events[1]["type"], "access.key_changed");
  EXPECT_EQ(events[2]["type"], "access.key_revoked");
  EXPECT_THAT(out_of({"read", "--all"}), Not(HasSubstr(secret[0])));
}

TEST_F(CliAdmin, AKeyAsJsonHasItsSecretOnce) {
  const auto created = json_of({"key", "create", "k", "--read", "all", "--json"});
  ASSERT_EQ(created.size(), 1U);
  EXPECT_TRUE(created[0].contains("secret"));
  EXPECT_THAT(out_of({"key", "list", "--json"}), Not(HasSubstr("secret")));
}

TEST_F(CliAdmin, AKeyByIdAndSeveralPatterns) {
  const auto created =
      json_of({"key", "create", "k", "--append", "a.b,c.*", "--append", "d.e", "--json"});
  EXPECT_EQ(created[0]["append"], nlohmann::json({"a.b", "c.*", "d.e"}));
  out_of({"key", "revoke", created[0]["key_id"].get<std::string>()});
}

TEST_F(CliAdmin, WrongKeysAreRefused) {
  for (const auto& words :
       std::vector<Words>{{"key", "create", "k"},
                          {"key", "create", "k", "--read", "some"},
                          {"key", "create", "k", "--read", "none"},
                          {"key", "create", "k", "--read", "all:read"},
                          {"key", "create", "k", "--read", "own", "--read", "stream=order:1"},
                          {"key", "create", "k", "--read", "own", "--principal", ""},
                          {"key", "create", "k", "--principal", "user/42"},
                          {"key", "create", "k", "--read", "own", "--from", "10.0.0.1/8"},
                          {"key", "create", "k", "--append", "a*"},
                          {"key", "create", "k", "--read", "all", "--expires", "90"},
                          {"key", "create"},
                          {"key", "change", "k"},
                          {"key", "change", "k", "--read", "none", "--read", "own"},
                          {"key", "change", "k", "--append", "a*"},
                          {"key", "change", "k", "--expires", "soon"},
                          {"key", "change", "k", "--principal", "a", "--no-principal"},
                          {"key", "change"},
                          {"key"}}) {
    EXPECT_EQ(code_of(annals(words)), 2) << ::testing::PrintToString(words);
  }
  EXPECT_FALSE(exists("annals.db"));
  out_of({"key", "create", "k", "--read", "all"});
  EXPECT_EQ(code_of(annals({"key", "create", "k", "--read", "all"})), 1) << "names are unique";
  EXPECT_EQ(code_of(annals({"key", "create", "jwt:alex", "--read", "all"})), 1)
      << "that is a subject's";
}

TEST_F(CliAdmin, ACatalogueIsAppliedOnceAndShown) {
  write("catalogue.json", R"({"types":[{"pattern":"order.paid","critical":true}]})");
  const auto first = annals({"catalogue", "apply", "catalogue.json"});
  ASSERT_EQ(code_of(first), 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("applied, 1 entry"));
  EXPECT_THAT(out_of({"catalogue", "apply", "catalogue.json"}), HasSubstr("unchanged"));
  EXPECT_THAT(out_of({"catalogue", "show"}), HasSubstr("order.paid"));
  const auto events = json_of({"read"});
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["type"], "log.catalogue_changed");
}

TEST_F(CliAdmin, ABrokenCatalogueChangesNothing) {
  out_of({"append", "--type", "a.b"});
  EXPECT_EQ(code_of(annals({"catalogue", "apply", "-"}, R"({"typos":[]})")), 1);
  EXPECT_EQ(code_of(annals({"catalogue", "apply", "absent.json"})), 2);
  EXPECT_EQ(out_of({"catalogue", "show"}), "{}\n");
  EXPECT_EQ(json_of({"read"}).size(), 1U);
}

TEST_F(CliAdmin, CommandsThatOnlyReadMakeNoLog) {
  for (const auto& words : std::vector<Words>{{"read"},
                                              {"tail"},
                                              {"show", "1"},
                                              {"streams"},
                                              {"key", "list"},
                                              {"key", "revoke", "k"},
                                              {"catalogue", "show"}}) {
    const auto finished = annals(words);
    EXPECT_EQ(code_of(finished), 1) << ::testing::PrintToString(words);
    EXPECT_THAT(finished.err,
                AllOf(HasSubstr("there is no log at sqlite:annals.db"), HasSubstr("annals append")))
        << ::testing::PrintToString(words);
  }
  EXPECT_FALSE(exists("annals.db"));
}

TEST_F(CliAdmin, EveryHelpHasAnExample) {
  for (const auto& words : std::vector<Words>{{},
                                              {"append"},
                                              {"read"},
                                              {"tail"},
                                              {"show"},
                                              {"streams"},
                                              {"verify"},
                                              {"key"},
                                              {"key", "create"},
                                              {"key", "list"},
                                              {"key", "change"},
                                              {"key", "revoke"},
                                              {"catalogue"},
                                              {"catalogue", "apply"},
                                              {"catalogue", "show"},
                                              {"config"},
                                              {"serve"},
                                              {"version"}}) {
    auto help = words;
    help.emplace_back("--help");
    const auto finished = annals(help);
    EXPECT_EQ(code_of(finished), 0) << ::testing::PrintToString(words);
    EXPECT_THAT(finished.out, AllOf(HasSubstr("Example"), HasSubstr("  annals ")))
        << ::testing::PrintToString(words);
    EXPECT_THAT(finished.err, IsEmpty());
  }
}

TEST_F(CliAdmin, WrongCommandLinesAreExitCodeTwo) {
  const auto none = annals({});
  EXPECT_EQ(code_of(none), 2);
  EXPECT_THAT(none.err, HasSubstr("Subcommands"));
  const auto unknown = annals({"raed"});
  EXPECT_EQ(code_of(unknown), 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no command 'annals raed'"));
  EXPECT_THAT(annals({"key", "creat"}).err, HasSubstr("there is no command 'annals key creat'"));
  const auto json = annals({"read", "--frob", "--json"});
  EXPECT_EQ(code_of(json), 2);
  EXPECT_EQ(nlohmann::json::parse(json.err)["code"], "invalid_request");
}

TEST_F(CliAdmin, TheVersionIsTheSameEverywhere) {
  const auto plain = out_of({"version"});
  EXPECT_EQ(out_of({"--version"}), plain);
  EXPECT_EQ("annals " + json_of({"version", "--json"})[0]["version"].get<std::string>() + "\n",
            plain);
}

TEST_F(CliAdmin, AFrozenLogTakesNothingUntilItIsUnfrozen) {
  out_of({"append", "--type", "order.placed"});
  EXPECT_THAT(out_of({"freeze"}), HasSubstr("frozen now"));
  const auto refused = annals({"append", "--type", "order.placed"});
  EXPECT_EQ(code_of(refused), 1);
  EXPECT_THAT(refused.err, HasSubstr("frozen"));
  EXPECT_EQ(json_of({"unfreeze", "--json"})[0],
            nlohmann::json({{"frozen", false}, {"changed", true}}));
  EXPECT_EQ(json_of({"unfreeze", "--json"})[0]["changed"], false);
  out_of({"append", "--type", "order.placed"});
}

}  // namespace
}  // namespace annals::test
